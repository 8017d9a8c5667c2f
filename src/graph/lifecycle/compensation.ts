import { withOwnAllowance, taskBindings, emitEvent } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { hasRoomFor } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import type { CompensationEventBody, TaskEventBody } from '../journal/events.ts';
import { findNode } from '../compile/compile.ts';
import type { Compensator } from '../nodes/behavior.ts';
import { refusedCallError } from '../nodes/approval.ts';
import { toPublicApproval } from '../run/approval.ts';
import type { Approval } from '../run/approval.ts';
import { addUndoneWork } from '../run/compensation.ts';
import type {
  AskedCompensation,
  Compensation,
  CompensationCall,
  ImpossibleCompensation,
  UnknownCompensation,
} from '../run/compensation.ts';
import { calleeOf } from '../run/call.ts';
import type { CallEffect, ReadingRequest } from '../run/effect.ts';
import { approximateBytes, holdsTooMuch } from '../run/held-bytes.ts';
import { approvalTimerId, compensationKey, readingKey } from '../run/ids.ts';
import type { TaskReference } from '../run/ids.ts';
import type { CallResult } from '../run/occurrence.ts';
import type { OpenCall } from '../run/run.ts';
import { otherRolesOf, editorsOf } from '../run/editors.ts';
import { awaitedPerson, isClosing } from '../run/status.ts';
import { argsAsked, closeExpiredApproval, openApproval } from '../superstep/task-services.ts';
import { GraphError, wasNeverExecuted, isUnknownOutcome, toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { MAX_VALUE_BYTES } from '../values/json-size.ts';
import { own } from '../values/json.ts';
import { deepEqual } from '../values/compare-json.ts';
import type { Json } from '../values/json.ts';
import { toolQuestion } from '../nodes/tool-calls/callable-tool.ts';

/*
 * Compensation by sagas: a tool node may name a call that compensates its own call. A failed or canceled run makes
 * these calls one by one, latest first (H. Garcia-Molina and K. Salem, "Sagas", 1987).
 */

/**
 * Remembers the compensation of a completed call once, whatever the state of its node.
 * @returns the error if the run has no room for it; the run must not continue with a call that it can't undo
 */
export function rememberCompensation(handle: TaskHandle, result: CallResult): RunError | null {
  const { draft, node } = handle;
  if (!node.compensate || isClosing(draft.run) || result.kind === 'call.failed' || result.reply.kind !== 'value')
    return null;
  const { key, reply } = result;
  const others = draft.run.compensation.pending.filter((other) => other.key !== key);
  const made = planCompensation(handle, node.compensate, key, reply.value);
  const isShort = !hasRoomFor(draft, MAX_VALUE_BYTES);
  const kept = 'problem' in made || hasRoomFor(draft, approximateBytes(made)) ? made : compensationWithoutRoom(made);
  draft.setCompensation({ pending: [...others, kept] });
  draft.hold(approximateBytes(kept));
  return isShort && 'problem' in kept && kept.problem.code === 'PAYLOAD_TOO_LARGE' ? kept.problem : null;
}

function compensationWithoutRoom({ key, task, step }: CompensationCall): ImpossibleCompensation {
  return { key, task, step, problem: toRunError(holdsTooMuch('compensate.args')) };
}

function planCompensation(handle: TaskHandle, compensator: Compensator, key: string, result: Json): Compensation {
  const { node, visit, index } = handle.task;
  const { path } = handle.frame;
  const { step } = handle.draft.run.root;
  const task = { node, visit, ...(index !== null && { index }), ...(path.length > 0 && { path }) };
  try {
    const { run } = handle.draft;
    const call = withOwnAllowance(handle, () => compensator.fill({ ...taskBindings(handle), result }, editorsOf(run)));
    return { key, task, step, ...call, shapedBy: otherRolesOf(run) };
  } catch (error) {
    return { key, task, step, problem: toRunError(error) };
  }
}

/**
 * Begins the latest pending compensation, requests a reading of its arguments, or requests an approval for it.
 * @returns false if none is left
 */
export function compensateNext(draft: Draft): boolean {
  const { run } = draft;
  if (awaitedPerson(run)) return true;
  for (let last = run.compensation.pending.at(-1); last; last = run.compensation.pending.at(-1)) {
    if (!('request' in last)) closeImpossible(draft);
    else if (last.reading) return beginCompensationReading(draft, last, last.reading);
    else if (!last.needsApproval) return beginCompensation(draft, last);
    else if (requestCompensationApproval(draft, last)) return true;
  }
  return false;
}

/** @returns false if the approval can't be requested; the compensation has failed then */
function requestCompensationApproval(draft: Draft, compensation: CompensationCall): boolean {
  try {
    askToCompensate(draft, compensation);
    return true;
  } catch (error) {
    closeLatest(draft, compensation, { error: toRunError(error) });
    return false;
  }
}

/** Closes the approval of a compensation when its timeout is over. */
export function expireAskedCompensation(draft: Draft, asked: AskedCompensation): void {
  const { approvalId, compensation } = asked;
  const approval = closeExpiredApproval(draft, approvalId, 'expired');
  const expired = { type: 'approval.expired', approvalId, status: 'expired', ...argsAsked(approval) } as const;
  emitOfCompensation(draft, compensation.task, expired);
  finishAskedCompensation(draft, asked, approval);
}

/**
 * Begins an approved compensation with the approved arguments. Arguments that a person has edited go through the
 * tool's own schema again first. A rejected or expired compensation has failed.
 */
export function finishAskedCompensation(draft: Draft, { compensation }: AskedCompensation, approval: Approval): void {
  draft.awaitPerson(null);
  draft.cancelTimer(approvalTimerId(approval.id));
  const { request } = compensation;
  const error = refusedCallError(request.tool, approval);
  if (error) return closeLatest(draft, compensation, { error });
  const { args, askedArgs = args } = approval;
  const approved = { ...compensation, request: { ...request, args, isApproved: true } } as const;
  if (deepEqual(args, askedArgs)) beginCompensation(draft, approved);
  else readEditedCompensation(draft, compensation, args);
}

/**
 * An approval of edited arguments does not cover what the tool's schema makes of them if that differs, so people are
 * asked again. If the schema refuses the edited arguments, the original question is repeated, because the call must
 * still be undone.
 */
function readEditedCompensation(draft: Draft, compensation: CompensationCall, args: Json): void {
  try {
    setLatest(draft, withEditedArgs(compensation, findCompensator(draft, compensation).read(args), args));
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    setLatest(draft, compensation);
  }
}

function withEditedArgs(before: CompensationCall, call: ReturnType<Compensator['read']>, args: Json): CompensationCall {
  const { request, reading } = call;
  const isSame = deepEqual(request.args, args);
  if (reading) return { ...before, ...call, asked: before.request, ...(isSame && { isReadApproved: true }) };
  if (!isSame) return { ...before, ...call };
  return { ...before, request: { ...request, isApproved: true }, needsApproval: false };
}

function findCompensator({ graph }: Draft, { task }: CompensationCall): Compensator {
  const compensator = findNode(graph, task)?.compensate;
  if (compensator) return compensator;
  throw new TypeError(`The node "${task.node}" compensates nothing`);
}

/** Replaces the latest compensation by its current form. If it can't be made any more, it has failed. */
function replaceLatest(draft: Draft, before: CompensationCall, toNext: () => CompensationCall): void {
  try {
    setLatest(draft, toNext());
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    closeLatest(draft, before, { error: toRunError(error) });
  }
}

function setLatest(draft: Draft, next: CompensationCall): void {
  draft.setCompensation({ pending: [...draft.run.compensation.pending.slice(0, -1), next] });
}

function beginCompensationReading(draft: Draft, compensation: CompensationCall, request: ReadingRequest): true {
  const { key: compensatedKey, task } = compensation;
  const { node, index } = task;
  const key = readingKey(compensationKey(compensatedKey), request.args);
  const summary = summaryOfCompensation('read arguments of compensation', task);
  const effect: CallEffect = {
    kind: 'call',
    key,
    takeover: 0,
    node,
    ...(index !== undefined && { index }),
    request,
    summary,
  };
  draft.requestCall(effect, { taskPath: [], called: calleeOf(request), compensates: compensation });
  return true;
}

/**
 * Processes the result of a call that compensates another one, or reads arguments for it.
 * @returns false for any other call
 */
export function takeForCompensation(draft: Draft, { called, compensates }: OpenCall, result: CallResult): boolean {
  if (!compensates) return false;
  if (called.kind === 'reading') takeReadArguments(draft, compensates, result);
  else finishCompensation(draft, compensates, result);
  return true;
}

/**
 * Stores what the tool's own schema has made of the arguments of the latest compensation. The approval rule is applied
 * to these.
 */
function takeReadArguments(draft: Draft, compensation: CompensationCall, result: CallResult): void {
  const { reading: _read, isReadApproved, asked, ...read } = compensation;
  if (result.kind === 'call.failed') {
    if (asked) return setLatest(draft, { ...read, request: asked, needsApproval: true });
    return closeLatest(draft, compensation, { error: result.failure.error });
  }
  replaceLatest(draft, compensation, () => {
    const args = 'value' in result.reply ? result.reply.value : null;
    const isApproved = isReadApproved === true && deepEqual(args, read.request.args);
    const request = { ...read.request, args, isRead: true, ...(isApproved && { isApproved }) } as const;
    return { ...read, request, needsApproval: !isApproved && findCompensator(draft, compensation).needsApproval(args) };
  });
}

function beginCompensation(draft: Draft, compensation: CompensationCall): true {
  const { key: compensatedKey, task, request, takeover = 0, shapedBy } = compensation;
  const { node, index } = task;
  const key = compensationKey(compensatedKey);
  const { tool, args } = request;
  const effect: CallEffect = {
    kind: 'call',
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    request,
    summary: summaryOfCompensation('compensate', task),
    ...(shapedBy.length > 0 && { shapedBy }),
  };
  draft.setCompensation({ undone: addUndoneWork(draft.run.compensation.undone, [compensation]) });
  draft.requestCall(effect, { taskPath: [], called: { kind: 'tool', name: tool }, compensates: compensation });
  emitOfCompensation(draft, task, { type: 'compensation.requested', tool, args, idempotencyKey: key });
  return true;
}

/**
 * Processes the result of the latest compensation. A failure is recorded and the others continue; a compensation with
 * an unknown outcome waits for a person.
 */
function finishCompensation(draft: Draft, compensation: CompensationCall, result: CallResult): void {
  const outcome = toCompensationOutcome(result);
  if (!isAlreadyCounted(compensation, result)) draft.addSpent({ toolCalls: 1 });
  if (!('error' in outcome && isUnknownOutcome(outcome.error))) return closeLatest(draft, compensation, outcome);
  emitOutcome(draft, compensation, outcome);
  draft.awaitPerson({ kind: 'unknown', compensation, error: outcome.error, since: draft.timestamp });
}

function toCompensationOutcome(result: CallResult): CompensationOutcome {
  if (result.kind === 'call.failed') return { error: result.failure.error };
  return { result: 'value' in result.reply && result.reply.value };
}

/** True for a repeated compensation, which was counted before under the same key. */
function isAlreadyCounted({ takeover = 0 }: CompensationCall, result: CallResult): boolean {
  return takeover > 0 || (result.kind === 'call.failed' && wasNeverExecuted(result.failure));
}

/** Repeats a compensation with an unknown outcome under the same key and takes over its claim. */
export function retryCompensation(draft: Draft, { compensation }: UnknownCompensation): void {
  draft.awaitPerson(null);
  beginCompensation(draft, { ...compensation, takeover: (compensation.takeover ?? 0) + 1 });
}

/** Settles a compensation with an unknown outcome. @param by the person who states it */
export function settleUnknownCompensation(
  draft: Draft,
  { compensation }: UnknownCompensation,
  outcome: CompensatingOutcome,
  by: string,
): void {
  draft.awaitPerson(null);
  closeLatest(draft, compensation, { ...outcome, by });
}

type CompensatingOutcome = { readonly result: Json } | { readonly error: RunError };

type CompensationOutcome = CompensatingOutcome & {
  /** The person who has settled the outcome; absent if it came from the call. */
  readonly by?: string;
};

function closeLatest(draft: Draft, compensation: Compensation, outcome: CompensationOutcome): void {
  closeCompensation(draft, [[compensation, outcome]]);
}

/** Closes the latest compensations that are impossible, all at once because there may be thousands. */
function closeImpossible(draft: Draft): void {
  const { pending } = draft.run.compensation;
  const latest = pending.slice(pending.findLastIndex((one) => 'request' in one) + 1).toReversed();
  closeCompensation(
    draft,
    latest.flatMap((one) => ('request' in one ? [] : [[one, { error: one.problem }] as const])),
  );
}

type ClosedCompensation = readonly [Compensation, CompensationOutcome];

/** @param latest the compensations, latest first */
function closeCompensation(draft: Draft, latest: readonly ClosedCompensation[]): void {
  const { pending, undone, failures } = draft.run.compensation;
  const failed = latest.flatMap(([{ task }, outcome]) =>
    'error' in outcome ? [`${task.node}: ${outcome.error.message}`] : [],
  );
  draft.setCompensation({
    pending: pending.slice(0, pending.length - latest.length),
    undone: addUndoneWork(undone, latest.map(([compensation]) => compensation).toReversed()),
    failures: [...failures, ...failed],
  });
  for (const [compensation, outcome] of latest) emitOutcome(draft, compensation, outcome);
}

function emitOutcome(draft: Draft, compensation: Compensation, outcome: CompensationOutcome): void {
  const tool = 'request' in compensation ? compensation.request.tool : null;
  const body: CompensationEventBody =
    'result' in outcome
      ? { type: 'node.compensated', tool, ...outcome }
      : { type: 'compensation.failed', tool, ...outcome };
  emitOfCompensation(draft, compensation.task, body);
}

/*
 * A tool's approval rule applies to compensations, too. The run requests the approval, and does not end before it is
 * decided or expired.
 */

/**
 * Requests an approval for a compensation.
 * @throws GraphError `PAYLOAD_TOO_LARGE` when the question is too large
 */
function askToCompensate(draft: Draft, compensation: CompensationCall): void {
  const { task, request } = compensation;
  const { tools, defaults } = draft.graph.catalog;
  const entry = own(tools, request.tool);
  if (!entry) throw new TypeError(`The run has pinned no tool "${request.tool}"`);
  const call = { tool: request.tool, args: request.args, because: `It compensates the call of node ${task.node}` };
  const summary = summaryOfCompensation('approval timeout of compensation', task);
  const asker = { node: task.node, taskPath: [], summary };
  const approval = openApproval(draft, toolQuestion(call, entry, defaults), asker);
  emitOfCompensation(draft, task, { type: 'approval.requested', approval: toPublicApproval(approval) });
  draft.awaitPerson({ kind: 'asked', compensation, approvalId: approval.id });
}

/** Returns the compensation that waits for this approval; `null` if there is none. */
export function compensationOfApproval({ run }: Draft, { id }: Pick<Approval, 'id'>): AskedCompensation | null {
  const awaited = awaitedPerson(run);
  return awaited?.kind === 'asked' && awaited.approvalId === id ? awaited : null;
}

/** Returns the compensation whose approval a timer expires; `null` if it expires none. */
export function compensationOfTimer({ run }: Draft, timerId: string): AskedCompensation | null {
  const awaited = awaitedPerson(run);
  return awaited?.kind === 'asked' && approvalTimerId(awaited.approvalId) === timerId ? awaited : null;
}

/** Records an event about a compensated task, whose superstep may be over. */
export function emitOfCompensation(
  draft: Draft,
  { path = [], ...task }: TaskReference,
  body: CompensationEventBody | TaskEventBody,
): void {
  emitEvent(draft, { step: draft.run.root.step, path }, { ...task, ...body });
}

/** Returns one line for the Temporal Web UI, such as `compensate pay #2`. */
function summaryOfCompensation(what: string, { path = [], node, visit }: TaskReference): string {
  return `${what} ${[...path, node].join('/')} #${visit}`;
}
