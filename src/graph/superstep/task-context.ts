import type { Bindings } from '../expression/expression.ts';
import type { Question, TaskContext } from '../nodes/behavior.ts';
import { toPublicApproval } from '../run/approval.ts';
import type { Approval } from '../run/approval.ts';
import { calledBy } from '../run/call.ts';
import type { CallRequest, ModelCallRequest } from '../run/effect.ts';
import { approvalId, approvalTimerId, callKey, waitTimerId } from '../run/ids.ts';
import type { Principal } from '../run/principal.ts';
import { isEnding } from '../run/run.ts';
import type { Run } from '../run/run.ts';
import type { ModelNeeds } from '../run/spending.ts';
import { GraphError } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import { refuseLarge } from '../values/json-size.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { saveApproval } from './approvals.ts';
import {
  isBudgetAvailable,
  isModelAllowed,
  refuseToolBatch,
  missingBudget,
  reservedTotals,
  reserve,
} from './budget.ts';
import type { Draft } from './draft.ts';
import { taskBindings, taskPathOf, emitTask, executionPathOf } from './frames.ts';
import type { TaskFrame } from './frames.ts';
import { cancelTimer, summaryOf, startTimer } from './timers.ts';

/** What a node's code may ask of its task. A class, because one is made for each step of each task. */
export class OpenTask implements TaskContext {
  readonly #of: TaskFrame;
  readonly now: number;
  readonly at: string;
  readonly createdBy: Principal;
  readonly asksPeople: boolean;

  constructor(of: TaskFrame) {
    this.#of = of;
    this.at = of.draft.at;
    this.createdBy = of.draft.run.createdBy;
    this.asksPeople = !of.draft.run.cancellation?.isClosing;
    this.now = of.draft.now;
  }

  get bindings(): Bindings {
    return taskBindings(this.#of.draft, this.#of.frame, this.#of.task);
  }

  call(number: number, request: CallRequest, takeover = 0): string {
    return requestCall(this.#of, { number, takeover }, request);
  }

  hasCapacity(): boolean {
    return hasCapacity(this.#of.draft) && !this.#of.frame.isFailing;
  }

  hasModelCapacity(): boolean {
    return this.hasCapacity() && isBudgetAvailable(this.#of.draft, reservedTotals(this.#of.draft));
  }

  missingBudget(request: ModelCallRequest): ModelNeeds | null {
    return missingBudget(this.#of.draft, request);
  }

  isModelAllowed(model: string): boolean {
    return isModelAllowed(this.#of.draft, model);
  }

  refuseToolCalls(count: number): TaskFailure | null {
    return refuseToolBatch(this.#of.draft, count);
  }

  requestApproval(question: Question): { approvalId: string; timerId: string } {
    return requestApproval(this.#of, question);
  }

  expireApproval(id: string, status: Approval['status']): Approval {
    return expireApproval(this.#of, id, status);
  }

  cancelTimer(id: string): void {
    cancelTimer(this.#of.draft, id);
  }

  startTimer(fireAt: number): string {
    return startWaitTimer(this.#of, fireAt);
  }

  takeEvent(name: string): Json | undefined {
    return takeEvent(this.#of.draft, name);
  }
}

/** Whether one more call of the run may be out: none begins in a run that stands still, or is about to end. */
export function hasCapacity({ run }: Draft): boolean {
  const standsStill = run.status === 'paused' && !run.cancellation;
  return !standsStill && !isEnding(run) && Object.keys(run.calls).length < run.limits.maxConcurrency;
}

function requestCall(
  of: TaskFrame,
  { number, takeover }: { number: number; takeover: number },
  wanted: CallRequest,
): string {
  const { draft, task } = of;
  const { kind, name } = calledBy(wanted);
  refuseLarge(`The request to the ${kind} "${name}"`, wanted);
  const { request, reservation } = reserve(of, wanted);
  const key = callKey(draft.run.id, of.frame.executionPath, { ...task, number });
  draft.run.calls[key] = {
    taskPath: taskPathOf(of),
    called: { kind, name },
    since: draft.now,
    ...(reservation && { reservation }),
  };
  draft.effects.push({
    kind: 'call',
    key,
    takeover: task.takeover + takeover,
    node: task.node,
    ...(task.index !== null && { index: task.index }),
    request,
    summary: summaryOf(of, request.kind),
    ...(of.frame.isTimed && { isCancelable: true }),
    ...(of.node.compensate && { isCompensable: true }),
  });
  if (request.kind === 'tool')
    emitTask(of, { type: 'tool.requested', tool: request.tool, args: request.args, idempotencyKey: key });
  return key;
}

function requestApproval(of: TaskFrame, { timeoutMs, ...question }: Question): { approvalId: string; timerId: string } {
  const { draft, task } = of;
  const { run } = draft;
  if (run.cancellation?.isClosing) throw new GraphError('APPROVAL_REJECTED', 'A run that is canceled asks nobody');
  refuseLarge('The question', question);
  const id = approvalId({ runId: run.id, number: ++run.counters.approval });
  const fireAt = draft.now + timeoutMs;
  const approval: Approval = {
    id,
    runId: run.id,
    node: task.node,
    ...question,
    details: withParent(run, question.details),
    status: 'pending',
    decisions: [],
    requestedBy: run.createdBy.sub,
    requestedAt: draft.at,
    expiresAt: new Date(fireAt).toISOString(),
    task: taskPathOf(of),
  };
  saveApproval(draft, approval);
  emitTask(of, { type: 'approval.requested', approval: toPublicApproval(approval) });
  const timerId = approvalTimerId(id);
  startTimer(of, { id: timerId, fireAt, summary: summaryOf(of, 'approval timeout') });
  return { approvalId: id, timerId };
}

/** In a fork whoever decides is told what the parent run did after the checkpoint: it may be about to be done again. */
function withParent({ parent }: Pick<Run, 'parent'>, details: Json): Json {
  if (!parent || parent.callsSince.length === 0) return details;
  const { runId, callsSince } = parent;
  const parentRun = { runId, done: callsSince.map(({ node, tool, at }) => ({ node, tool, at })) };
  return isJsonObject(details) ? { ...details, parentRun } : { ...(details !== null && { details }), parentRun };
}

function startWaitTimer(of: TaskFrame, fireAt: number): string {
  const id = waitTimerId(executionPathOf(of));
  startTimer(of, { id, fireAt, summary: summaryOf(of, 'wait') });
  return id;
}

/** The oldest event of a name that came before anything waited for it. @returns `undefined`: there is none */
function takeEvent({ run }: Draft, name: string): Json | undefined {
  const at = run.bufferedEvents.findIndex((event) => event.name === name);
  const event = run.bufferedEvents[at];
  if (!event) return undefined;
  run.bufferedEvents = run.bufferedEvents.toSpliced(at, 1);
  run.areBufferedEventsSaved = false;
  return event.payload;
}

function expireApproval(of: TaskFrame, id: string, status: Approval['status']): Approval {
  const pending = own(of.draft.run.approvals, id);
  if (!pending) throw new TypeError(`There is no approval "${id}"`);
  const approval = { ...pending, status };
  saveApproval(of.draft, approval);
  emitTask(of, { type: 'approval.expired', approvalId: id, status });
  return approval;
}
