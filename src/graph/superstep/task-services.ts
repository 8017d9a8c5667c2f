import { claimRoom } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { taskBindings, emitTask, keyOfCall, taskSummary } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import type { Bindings } from '../expression/names.ts';
import type { ApprovalQuestion, TaskContext } from '../nodes/behavior.ts';
import { toPublicApproval, approvalDigest, closeOverdueApproval } from '../run/approval.ts';
import type { Approval } from '../run/approval.ts';
import { calleeOf, ruleIfUnknown } from '../run/call.ts';
import type { CallEffect, CallRequest, ModelCallRequest, ReadingRequest } from '../run/effect.ts';
import { bytesOfRequest, approximateBytes } from '../run/held-bytes.ts';
import { approvalTimerId, nodesAround, readingKey, waitTimerId, approvalId } from '../run/ids.ts';
import type { TaskPath } from '../run/ids.ts';
import type { Principal } from '../run/principal.ts';
import type { Run } from '../run/run.ts';
import { otherRolesOf, editorsOf } from '../run/editors.ts';
import type { ModelNeeds } from '../run/limits.ts';
import { isBeingCanceled, isClosing, mayOpenCall } from '../run/status.ts';
import { GraphError } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import { requireAllowedSize } from '../values/json-size.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import {
  countGraphCall,
  isBudgetAvailable,
  isModelAllowed,
  findToolBatchFailure,
  missingBudget,
  reservedTotals,
  planReservation,
} from './budget.ts';
import { earlierApprovals } from '../run/earlier-approvals.ts';

/**
 * The services of a task for its node's behavior. It is a class for speed, because each step of each task creates one.
 */
export class TaskServices implements TaskContext {
  readonly #handle: TaskHandle;
  readonly now: number;
  readonly timestamp: string;
  readonly asksPeople: boolean;

  constructor(handle: TaskHandle) {
    this.#handle = handle;
    this.timestamp = handle.draft.timestamp;
    this.asksPeople = !isClosing(handle.draft.run);
    this.now = handle.draft.now;
  }

  get editors(): readonly Principal[] {
    return editorsOf(this.#handle.draft.run);
  }

  get bindings(): Bindings {
    return taskBindings(this.#handle);
  }

  call(number: number, request: CallRequest, takeover = 0): string {
    return requestCall(this.#handle, keyOfCall(this.#handle, number), request, takeover);
  }

  read(number: number, request: ReadingRequest): string {
    const callKey = keyOfCall(this.#handle, number);
    return requestCall(this.#handle, readingKey(callKey, request.args), request, 0);
  }

  hasCapacity(): boolean {
    return mayOpenCall(this.#handle.draft.run) && !this.#handle.frame.isFailing;
  }

  hasModelCapacity(): boolean {
    return this.hasCapacity() && isBudgetAvailable(this.#handle.draft, reservedTotals(this.#handle.draft));
  }

  missingBudget(request: ModelCallRequest): ModelNeeds | null {
    return missingBudget(this.#handle.draft, request);
  }

  isModelAllowed(model: string): boolean {
    return isModelAllowed(this.#handle.draft, model);
  }

  findToolBudgetFailure(numbers: readonly number[]): TaskFailure | null {
    return findToolBatchFailure(this.#handle, numbers);
  }

  requestApproval(question: ApprovalQuestion): { approvalId: string; timerId: string } {
    return requestApproval(this.#handle, question);
  }

  beginGraph(number: number, tool: string, args: Json): void {
    countGraphCall(this.#handle, number);
    emitTask(this.#handle, { type: 'tool.requested', tool, args, idempotencyKey: keyOfCall(this.#handle, number) });
  }

  expireApproval(id: string, status: Approval['status']): Approval {
    return expireApproval(this.#handle, id, status);
  }

  withdrawApproval(id: string): void {
    const { draft } = this.#handle;
    const approval = own(draft.run.approvals, id);
    if (approval?.status === 'pending') draft.saveApproval({ ...approval, status: 'canceled' });
  }

  cancelTimer(id: string): void {
    this.#handle.draft.cancelTimer(id);
  }

  startTimer(fireAt: number): string {
    return startWaitTimer(this.#handle, fireAt);
  }

  takeEvent(name: string): Json | undefined {
    return takeEvent(this.#handle.draft, name);
  }
}

function requestCall(handle: TaskHandle, key: string, wanted: CallRequest, takeover: number): string {
  const { draft, task } = handle;
  const { kind, name } = calleeOf(wanted);
  requireAllowedSize(`The request to the ${kind} "${name}"`, wanted);
  const { request, reservation } = planReservation(handle, key, wanted);
  const bytes = bytesOfRequest(request);
  claimRoom(draft, bytes, `The request to the ${kind} "${name}"`);
  const effect: CallEffect = {
    kind: 'call',
    key,
    takeover: unansweredTakeover(draft.run, key) ?? task.takeover + takeover,
    node: task.node,
    ...(task.index !== null && { index: task.index }),
    request,
    summary: taskSummary(handle, `${kind} ${name} ·`),
    ...(handle.frame.isTimed && { isCancelable: true }),
    ...(kind === 'tool' && handle.node.compensate && { isCompensable: true }),
    ...shapedByOf(draft.run, request),
    ...modelCallLocation(handle, request),
  };
  const ifUnknown = ruleIfUnknown(effect);
  draft.requestCall(effect, {
    taskPath: handle.taskPath,
    called: { kind, name },
    ...(reservation && { reservation }),
    ...(bytes > 0 && { bytes }),
    ...(ifUnknown && { ifUnknown }),
  });
  emitRequest(handle, key, request);
  return key;
}

/**
 * Records that code is called. A model's request is recorded with its answer, and a reading of arguments with its call.
 */
function emitRequest(handle: TaskHandle, idempotencyKey: string, request: CallRequest): void {
  switch (request.kind) {
    case 'model':
    case 'reading':
      return;
    case 'tool':
      return emitTask(handle, { type: 'tool.requested', tool: request.tool, args: request.args, idempotencyKey });
    case 'function': {
      const { function: name, args } = request;
      return emitTask(handle, { type: 'function.requested', function: name, args, idempotencyKey });
    }
    case 'node': {
      const { nodeType, config } = request;
      return emitTask(handle, { type: 'function.requested', nodeType, args: config, idempotencyKey });
    }
  }
}

/** Returns the takeover of a call that the run left without an answer when it ended; `undefined` for any other. */
function unansweredTakeover({ compensation }: Run, key: string): number | undefined {
  return compensation.perhapsMade.find((call) => call.key === key)?.unansweredTakeover;
}

/** Returns the location of a model's call, for readers that receive its answer while it is written. */
function modelCallLocation({ task, taskPath }: TaskHandle, { kind }: CallRequest): Pick<CallEffect, 'visit' | 'path'> {
  if (kind !== 'model') return {};
  const path = nodesAround(taskPath);
  return { visit: task.visit, ...(path.length > 0 && { path }) };
}

/** Returns the run's other editors, whose roles the tool's worker checks. */
function shapedByOf(run: Run, { kind }: CallRequest): Pick<CallEffect, 'shapedBy'> {
  const shapedBy = kind === 'tool' ? otherRolesOf(run) : [];
  return shapedBy.length > 0 ? { shapedBy } : {};
}

function requestApproval(handle: TaskHandle, question: ApprovalQuestion): { approvalId: string; timerId: string } {
  const { draft, task, taskPath } = handle;
  if (isClosing(draft.run))
    throw new GraphError(
      'APPROVAL_REJECTED',
      `A ${isBeingCanceled(draft.run) ? 'canceled' : 'failed'} run requests no approval`,
    );
  const summary = taskSummary(handle, 'approval timeout');
  const approval = openApproval(draft, question, { node: task.node, taskPath, summary });
  emitTask(handle, { type: 'approval.requested', approval: toPublicApproval(approval) });
  return { approvalId: approval.id, timerId: approvalTimerId(approval.id) };
}

function startWaitTimer(handle: TaskHandle, fireAt: number): string {
  const id = waitTimerId(handle.executionPath);
  const { draft, taskPath } = handle;
  draft.startTimer(id, { taskPath, fireAt, summary: taskSummary(handle, 'wait') });
  return id;
}

/** Removes the oldest buffered event of a name. @returns `undefined` if there is none */
function takeEvent(draft: Draft, name: string): Json | undefined {
  const { run } = draft;
  const index = run.bufferedEvents.findIndex((buffered) => buffered.name === name);
  const event = run.bufferedEvents[index];
  if (!event) return undefined;
  draft.bufferEvents(run.bufferedEvents.toSpliced(index, 1));
  draft.hold(-approximateBytes(event));
  return event.payload;
}

function expireApproval(handle: TaskHandle, id: string, status: Approval['status']): Approval {
  const approval = closeExpiredApproval(handle.draft, id, status);
  emitTask(handle, { type: 'approval.expired', approvalId: id, status, ...argsAsked(approval) });
  return approval;
}

/** The node that requests an approval. */
export interface ApprovalRequester {
  readonly node: string;
  /** The task that waits for the decision; empty if the run's compensation waits. */
  readonly taskPath: TaskPath;
  /** The text about the timeout's timer for the Temporal Web UI. */
  readonly summary: string;
}

/**
 * Requests an approval, and starts the timer that ends it.
 * @throws GraphError `PAYLOAD_TOO_LARGE` when its content is too large
 */
export function openApproval(
  draft: Draft,
  { timeoutMs, ...question }: ApprovalQuestion,
  { node, taskPath, summary }: ApprovalRequester,
): Approval {
  const { run } = draft;
  requireAllowedSize('The question', question);
  const id = approvalId({ runId: run.id, number: draft.increment('approval') });
  const fireAt = draft.now + timeoutMs;
  const content = { ...question, details: addCallsOfParent(run, question.details) };
  const asked = approvalDigest(question);
  const approval: Approval = {
    id,
    runId: run.id,
    node,
    ...content,
    digest: content.details === question.details ? asked : approvalDigest(content),
    status: 'pending',
    decisions: [],
    previous: earlierApprovals(
      draft.closedApprovals,
      { task: taskPath, asked, tool: question.tool },
      run.parent?.closedApprovals,
    ),
    requestedBy: run.createdBy.sub,
    requesters: [...new Set(editorsOf(run).map(({ sub }) => sub))],
    requestedAt: draft.timestamp,
    expiresAt: new Date(fireAt).toISOString(),
    task: taskPath,
    asked,
  };
  claimRoom(draft, approximateBytes(approval), 'The question');
  draft.saveApproval(approval);
  draft.startTimer(approvalTimerId(id), { taskPath, fireAt, summary });
  return approval;
}

/** Closes a pending approval after its timeout. @returns the closed approval */
export function closeExpiredApproval(draft: Draft, id: string, status: Approval['status']): Approval {
  const pending = own(draft.run.approvals, id);
  if (!pending) throw new TypeError(`There is no approval "${id}"`);
  const approval = closeOverdueApproval(pending, status);
  draft.saveApproval(approval);
  return approval;
}

/** Returns the arguments of an approval that its timeout has closed, for the event, if people had proposed others. */
export function argsAsked({ args, askedArgs }: Approval): { readonly args?: Json } {
  return askedArgs === undefined ? {} : { args };
}

/** Adds the parent's calls after the checkpoint to the details, because the fork may repeat them. */
function addCallsOfParent({ parent }: Pick<Run, 'parent'>, details: Json): Json {
  if (!parent || parent.callsSince.length === 0) return details;
  const { runId, callsSince } = parent;
  const parentRun = { runId, done: callsSince.map(({ node, tool, at }) => ({ node, tool, at })) };
  return isJsonObject(details) ? { ...details, parentRun } : { ...(details !== null && { details }), parentRun };
}
