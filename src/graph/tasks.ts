import type { Approval } from './approval.ts';
import { taskBindings } from './bindings.ts';
import { calledBy } from './called-by.ts';
import { toPublicApproval } from './events.ts';
import type { TaskEventBody } from './events.ts';
import type { CompiledNode } from './compile.ts';
import { hasRoom, mayEverAsk, refuseBatch, reserve, roomAwaited, setAside } from './budget.ts';
import { emit } from './draft.ts';
import type { Draft, Frame } from './draft.ts';
import type { CallRequest, ModelCallRequest } from './effect.ts';
import type { Bindings } from './expression.ts';
import { isWithin, trailOf } from './frames.ts';
import { GraphError } from './errors.ts';
import { isJsonObject, own } from './json.ts';
import { refuseLarge } from './refuse-large.ts';
import { shortened } from './shortened.ts';
import type { Json } from './json.ts';
import type { Question, TaskContext } from './nodes/runner.ts';
import { isEnding } from './run.ts';
import type { ModelNeeds, Principal, Run, TaskAddress } from './run.ts';
import type { NodeTask, TaskFailure } from './scope.ts';

/** A node task being worked on, with all that its events and calls need to name it. */
export interface TaskFrame {
  readonly draft: Draft;
  readonly frame: Frame;
  readonly node: CompiledNode;
  readonly task: NodeTask;
}

/** Records an event about a task. */
export function emitTask({ draft, frame, task }: TaskFrame, body: TaskEventBody): void {
  const { node, visit, index } = task;
  emit(draft, frame, Object.assign({ node, visit }, index === null ? null : { index }, body));
}

export function addressOf({ frame, task }: TaskFrame): TaskAddress {
  return [...frame.address, task.key];
}

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

  call(number: number, request: CallRequest, order = 0): string {
    return requestCall(this.#of, { number, order }, request);
  }

  hasCapacity(): boolean {
    return hasCapacity(this.#of.draft) && !this.#of.frame.isFailing;
  }

  mayAskModel(): boolean {
    return this.hasCapacity() && hasRoom(this.#of.draft, setAside(this.#of.draft));
  }

  roomAwaited(request: ModelCallRequest): ModelNeeds | null {
    return roomAwaited(this.#of.draft, request);
  }

  mayEverAsk(model: string): boolean {
    return mayEverAsk(this.#of.draft, model);
  }

  refuseToolCalls(count: number): TaskFailure | null {
    return refuseBatch(this.#of.draft, count);
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

function requestCall(of: TaskFrame, { number, order }: { number: number; order: number }, wanted: CallRequest): string {
  const { draft, task } = of;
  const { kind, name } = calledBy(wanted);
  refuseLarge(`The request to the ${kind} "${name}"`, wanted);
  const { request, reserved } = reserve(of, wanted);
  const key = callKey(of, number);
  draft.run.calls[key] = {
    task: addressOf(of),
    called: { kind, name },
    since: draft.now,
    ...(reserved && { reserved }),
  };
  draft.effects.push({
    kind: 'call',
    key,
    order: task.order + order,
    node: task.node,
    ...(task.index !== null && { index: task.index }),
    request,
    summary: summaryOf(of, request.kind),
    ...(of.frame.isTimed && { isRevocable: true }),
    ...(of.node.compensate && { canBeUndone: true }),
  });
  if (request.kind === 'tool')
    emitTask(of, { type: 'tool.requested', tool: request.tool, args: request.args, idempotencyKey: key });
  return key;
}

/** Equal over replays and attempts: it is made of where the call stands in its run, and of nothing else. */
function callKey({ draft, frame, task }: TaskFrame, number: number): string {
  const place = shortened([...frame.trail, task.key].join('/'));
  return [draft.run.id, place, task.visit, number, task.round].join(':');
}

/** One line for the Temporal Web UI, such as `tool pay #2`. */
export function summaryOf({ frame, task }: TaskFrame, kind: string): string {
  return `${kind} ${[...frame.path, task.key].join('/')} #${task.visit}`;
}

function requestApproval(of: TaskFrame, { timeoutMs, ...question }: Question): { approvalId: string; timerId: string } {
  const { draft, task } = of;
  const { run } = draft;
  if (run.cancellation?.isClosing) throw new GraphError('APPROVAL_REJECTED', 'A run that is canceled asks nobody');
  refuseLarge('The question', question);
  const id = `${run.id}.a${++run.counters.approval}`;
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
    task: addressOf(of),
  };
  saveApproval(draft, approval);
  emitTask(of, { type: 'approval.requested', approval: toPublicApproval(approval) });
  const timerId = `${id}.timeout`;
  startTimer(of, { id: timerId, fireAt, summary: summaryOf(of, 'approval timeout') });
  return { approvalId: id, timerId };
}

/** In a fork whoever decides is told what the parent run did after the checkpoint: it may be about to be done again. */
function withParent({ parent }: Pick<Run, 'parent'>, details: Json): Json {
  if (!parent || parent.done.length === 0) return details;
  const { runId, done } = parent;
  const parentRun = { runId, done: done.map(({ node, tool, at }) => ({ node, tool, at })) };
  return isJsonObject(details) ? { ...details, parentRun } : { ...(details !== null && { details }), parentRun };
}

function startWaitTimer(of: TaskFrame, fireAt: number): string {
  const id = `${shortened(trailOf(of).join('/'))}.timer`;
  startTimer(of, { id, fireAt, summary: summaryOf(of, 'wait') });
  return id;
}

/** The oldest event of a name that came before anything waited for it. @returns `undefined`: there is none */
function takeEvent({ run }: Draft, name: string): Json | undefined {
  const at = run.events.findIndex((event) => event.name === name);
  const event = run.events[at];
  if (!event) return undefined;
  run.events = run.events.toSpliced(at, 1);
  run.areEventsSaved = false;
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

export function saveApproval({ run, approvals }: Draft, approval: Approval): void {
  run.approvals[approval.id] = approval;
  approvals.set(approval.id, approval);
  const closed = Object.values(run.approvals).filter(({ status }) => status !== 'pending');
  for (const { id } of closed.slice(0, -MAX_CLOSED)) delete run.approvals[id];
}

/** So many approvals that are closed can be asked for by query; all of them are in the store. */
const MAX_CLOSED = 100;

export function startTimer(
  of: TaskFrame,
  { id, fireAt, summary }: { id: string; fireAt: number; summary: string },
): void {
  of.draft.run.timers[id] = { task: addressOf(of), fireAt, summary };
  of.draft.effects.push({ kind: 'timer', id, fireAt, summary });
}

/** Takes back what a task, and what is inside it, still asks of people and clocks. */
export function withdrawFrom(of: TaskFrame): void {
  const { draft } = of;
  const address = addressOf(of);
  cancelTimersOf(of);
  for (const approval of Object.values(draft.run.approvals)) {
    const isOpen = approval.status === 'pending' && isWithin(approval.task, address);
    if (isOpen) saveApproval(draft, { ...approval, status: 'canceled' });
  }
}

/** Forgets the timers of a task, and of what is inside it. */
export function cancelTimersOf(of: TaskFrame): void {
  const { draft } = of;
  const address = addressOf(of);
  for (const [id, { task }] of Object.entries(draft.run.timers)) if (isWithin(task, address)) cancelTimer(draft, id);
}

/** Forgets a timer, whether it still runs or not. */
export function cancelTimer(draft: Draft, id: string): void {
  if (!Object.hasOwn(draft.run.timers, id)) return;
  delete draft.run.timers[id];
  draft.effects.push({ kind: 'cancel.timer', id });
}
