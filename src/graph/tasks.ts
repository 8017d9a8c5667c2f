import type { Approval } from './approval.ts';
import { taskBindings } from './bindings.ts';
import { toPublicApproval } from './events.ts';
import type { TaskEventBody } from './events.ts';
import type { CompiledNode } from './compile.ts';
import { refuseOverBudget } from './budget.ts';
import { emit } from './draft.ts';
import type { Draft, Frame } from './draft.ts';
import type { CallRequest } from './effect.ts';
import type { Bindings } from './expression.ts';
import { trailOf } from './frames.ts';
import { isJsonObject, own } from './json.ts';
import { shortened } from './shortened.ts';
import type { Json } from './json.ts';
import type { Question, TaskContext } from './nodes/runner.ts';
import type { OpenCall, Run, TaskAddress } from './run.ts';
import type { NodeTask } from './scope.ts';

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
  readonly bindings: Bindings;
  readonly now: number;

  constructor(of: TaskFrame) {
    this.#of = of;
    this.bindings = taskBindings(of.draft, of.frame, of.task);
    this.now = of.draft.now;
  }

  call(number: number, request: CallRequest): string {
    return requestCall(this.#of, number, request);
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

function requestCall(of: TaskFrame, number: number, request: CallRequest): string {
  const { draft, task } = of;
  refuseOverBudget(draft, request);
  const key = callKey(of, number);
  draft.run.calls[key] = { task: addressOf(of), called: calledBy(request), since: draft.now };
  draft.effects.push({
    kind: 'call',
    key,
    order: task.order,
    node: task.node,
    request,
    summary: summaryOf(of, request.kind),
  });
  if (request.kind === 'tool')
    emitTask(of, { type: 'tool.requested', tool: request.tool, args: request.args, idempotencyKey: key });
  return key;
}

function calledBy(request: CallRequest): OpenCall['called'] {
  switch (request.kind) {
    case 'model':
      return { kind: 'model', name: request.model };
    case 'tool':
      return { kind: 'tool', name: request.tool };
    case 'function':
      return { kind: 'function', name: request.function };
    case 'node':
      return { kind: 'node', name: request.nodeType };
  }
}

/** Equal over replays and attempts: it is made of where the call stands in its run, and of nothing else. */
function callKey({ draft, frame, task }: TaskFrame, number: number): string {
  const place = shortened([...frame.trail, task.key].join('/'));
  return [draft.run.id, place, task.visit, number, task.round].join(':');
}

/** One line for the Temporal Web UI, such as `tool pay #2`. */
function summaryOf({ frame, task }: TaskFrame, kind: string): string {
  return `${kind} ${[...frame.path, task.key].join('/')} #${task.visit}`;
}

function requestApproval(of: TaskFrame, { timeoutMs, ...question }: Question): { approvalId: string; timerId: string } {
  const { draft, task } = of;
  const { run } = draft;
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

export function saveApproval(draft: Draft, approval: Approval): void {
  draft.run.approvals[approval.id] = approval;
  draft.approvals.set(approval.id, approval);
}

function startTimer(of: TaskFrame, { id, fireAt, summary }: { id: string; fireAt: number; summary: string }): void {
  of.draft.run.timers[id] = { task: addressOf(of), fireAt, summary };
  of.draft.effects.push({ kind: 'timer', id, fireAt, summary });
}

/** Forgets a timer, whether it still runs or not. */
export function cancelTimer(draft: Draft, id: string): void {
  if (!Object.hasOwn(draft.run.timers, id)) return;
  delete draft.run.timers[id];
  draft.effects.push({ kind: 'cancel.timer', id });
}
