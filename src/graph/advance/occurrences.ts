import type { Draft } from '../draft/draft.ts';
import { recordOccurrence, findTask, emitTask } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import {
  compensationOfTimer,
  expireAskedCompensation,
  rememberCompensation,
  takeForCompensation,
} from '../lifecycle/compensation.ts';
import { cancelRun } from '../lifecycle/cancel.ts';
import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Occurrence, CallResult, RecordedBody } from '../run/occurrence.ts';
import { isBeingCanceled } from '../run/status.ts';
import { receiveSignal } from '../signals/receive-signal.ts';
import { deliverInput, isAboutToEnd } from '../superstep/deliver.ts';
import { wasNeverExecuted, isUnknownOutcome } from '../values/errors.ts';
import type { RunError, TokenUsage } from '../values/errors.ts';
import type { TaskEventBody } from '../journal/events.ts';
import type { CallReply, ModelReply } from '../run/effect.ts';
import type { OpenCall } from '../run/run.ts';
import { costMicros } from '../run/limits.ts';
import type { BudgetUsage } from '../run/limits.ts';
import { own } from '../values/json.ts';
import { updatePossiblyExecuted } from '../lifecycle/possibly-executed.ts';
import { hasFailed } from '../run/task-position.ts';
import { addErrorLocation } from '../superstep/fail-task.ts';

type OccurrenceOf<K extends Occurrence['kind']> = Occurrence & { readonly kind: K };

type OccurrenceHandler<K extends Occurrence['kind']> = (draft: Draft, occurrence: OccurrenceOf<K>) => RunError | void;

/** The handler of each kind of occurrence; `advance` runs supersteps afterwards. */
const OCCURRENCE_HANDLERS: { readonly [K in Occurrence['kind']]: OccurrenceHandler<K> } = {
  'call.completed': deliverResult,
  'call.failed': deliverResult,
  timer: fireTimer,
  signal: (draft, { name, payload }) => receiveSignal(draft, name, payload),
  'cancel.requested': cancelByTemporal,
  continue: () => undefined,
};

export function handleOccurrence<K extends Occurrence['kind']>(
  draft: Draft,
  occurrence: OccurrenceOf<K>,
): RunError | void {
  const handle: OccurrenceHandler<K> = OCCURRENCE_HANDLERS[occurrence.kind];
  return handle(draft, occurrence);
}

function cancelByTemporal(draft: Draft): void {
  if (!isBeingCanceled(draft.run)) recordOccurrence(draft, { kind: 'cancel.requested' });
  cancelRun(draft, 'temporal-operator', 'The workflow was canceled');
}

function fireTimer(draft: Draft, { id, fireAt }: OccurrenceOf<'timer'>): RunError | undefined {
  const timer = draft.takeTimer(id, fireAt);
  if (!timer) return undefined;
  recordOccurrence(draft, { kind: 'timer', id });
  if (id === DEADLINE_TIMER)
    return { code: 'DEADLINE_EXCEEDED', message: `The deadline of ${draft.run.limits.deadlineMs} ms is over` };
  const asked = compensationOfTimer(draft, id);
  if (asked) expireAskedCompensation(draft, asked);
  else deliverInput(findTask(draft, timer.taskPath), { kind: 'timer', id });
  return undefined;
}

/** A call's usage and its event. */
export interface CallAccount {
  readonly spent: Partial<BudgetUsage>;
  readonly event: TaskEventBody | null;
}

/** Accounts for a call. A call that was not made costs nothing. The usage of an already counted call is in `spent`. */
function accountForCall(draft: Draft, call: OpenCall, result: CallResult): CallAccount {
  const account =
    result.kind === 'call.failed' ? accountOfFailure(draft, call, result) : accountOfReply(draft, call, result);
  return costsNothing(draft, call, result) ? { ...account, spent: {} } : account;
}

/**
 * True if a call costs nothing now: it was not made, or was counted before. A model call repeated after a failure uses
 * other tokens, so only its answer is counted once.
 */
function costsNothing({ run }: Draft, { called }: OpenCall, result: CallResult): boolean {
  if (result.kind === 'call.failed' && wasNeverExecuted(result.failure)) return true;
  const isCountedOnce = called.kind === 'tool' || result.kind === 'call.completed';
  return isCountedOnce && run.counted.includes(result.key);
}

type CompletedCallResult = CallResult & { readonly kind: 'call.completed' };
type FailedCallResult = CallResult & { readonly kind: 'call.failed' };

function accountOfReply(draft: Draft, { called }: OpenCall, completed: CompletedCallResult): CallAccount {
  const { kind, name } = called;
  const { key, reply, attempts, durationMs, isLocal } = completed;
  if (reply.kind === 'model') return accountOfModel(draft, name, reply, { attempts, durationMs, idempotencyKey: key });
  if (reply.kind === 'overflow') return { spent: {}, event: null };
  const common = { result: reply.value, attempts, durationMs, idempotencyKey: key };
  return accountOfCode({ kind, name }, common, isLocal);
}

function accountOfModel(
  draft: Draft,
  model: string,
  { usage, finishReason, toolCalls, context }: ModelReply,
  common: CallEndFields,
): CallAccount {
  const { spent, measured } = answerCost(draft, model, usage);
  const requested = { finishReason, toolCalls: toolCalls.length };
  const event: TaskEventBody = {
    type: 'model.called',
    model,
    ...measured,
    ...requested,
    ...common,
    ...(context && { context }),
  };
  return { spent, event };
}

/** Returns the cost of a model's answer, for the budgets and for its event. */
function answerCost({ graph }: Draft, model: string, usage: TokenUsage) {
  const { inputTokens, outputTokens } = usage;
  const cost = costMicros(usage, own(graph.catalog.models, model)?.price);
  return {
    spent: { modelCalls: 1, inputTokens, outputTokens, costMicros: cost },
    measured: { usage, costUsd: cost / 1_000_000 },
  };
}

function accountOfFailure(
  draft: Draft,
  { called: { kind, name }, since }: OpenCall,
  { key, failure: { error, usage }, isLocal }: FailedCallResult,
): CallAccount {
  const common = { error, attempts: error.attempts ?? 1, durationMs: draft.now - since, idempotencyKey: key };
  if (kind === 'model') {
    const { spent, measured } = usage ? answerCost(draft, name, usage) : { spent: { modelCalls: 1 }, measured: {} };
    return { spent, event: { type: 'model.called', model: name, ...measured, ...common } };
  }
  return accountOfCode({ kind, name }, common, isLocal);
}

/** Accounts for a call of a tool, a function, or the code of a node type. */
function accountOfCode(
  { kind, name }: OpenCall['called'],
  common: CallEndFields,
  isLocal: true | undefined,
): CallAccount {
  const measured = { ...common, ...(isLocal && { local: true as const }) };
  if (kind === 'reading') return { spent: {}, event: null };
  if (kind === 'tool') return { spent: { toolCalls: 1 }, event: { type: 'tool.called', tool: name, ...measured } };
  const code = kind === 'node' ? { nodeType: name } : { function: name };
  return { spent: {}, event: { type: 'function.called', ...code, ...measured } };
}

type CallEndFields = Omit<
  TaskEventBody & { readonly type: 'function.called' },
  'type' | 'function' | 'nodeType' | 'local'
>;

/** Delivers the result of a call to the compensation or to the task that waits for it. */
function deliverResult(draft: Draft, result: CallResult): void {
  const call = draft.takeCall(result.key);
  if (!call) return;
  const settled = withUnknownOutcome(call, result);
  const record = toRecordedOccurrence(draft, call, result);
  recordOccurrence(draft, record);
  if (!takeForCompensation(draft, call, result)) settleCall(draft, call, settled);
}

/** Gives an unsafe call the outcome `unknown` unless it is known to have failed, whatever the failure's code is. */
function withUnknownOutcome({ ifUnknown }: OpenCall, result: CallResult): CallResult {
  if (ifUnknown !== 'ask' || result.kind === 'call.completed') return result;
  const { callFailed, error } = result.failure;
  if (callFailed || isUnknownOutcome(error)) return result;
  const { code, message } = error;
  const unknown = { cause: { code, message }, ...error, code: 'UNKNOWN_OUTCOME' } as const;
  return { ...result, failure: { callFailed, error: unknown } };
}

/**
 * Returns what to record of a result. No ledger stores the reply of a local call, so the record keeps what no event
 * contains.
 */
function toRecordedOccurrence(draft: Draft, call: OpenCall, result: CallResult): RecordedBody {
  const { key, isLocal } = result;
  if (result.kind === 'call.failed')
    return { kind: result.kind, key, failure: result.failure, ...(isLocal && { isLocal }) };
  const isInEvent = hasEventOfTask(draft, call) && !hasFiles(result.reply);
  return { kind: result.kind, key, ...(isLocal && !isInEvent && { reply: result.reply }) };
}

/** True for a reply with files beside its value, which no event contains. */
function hasFiles(reply: CallReply): boolean {
  return reply.kind === 'value' && reply.files !== undefined;
}

/** True for a tool: its result is in the event of its task. */
function hasEventOfTask(draft: Draft, { called, taskPath }: OpenCall): boolean {
  return called.kind === 'tool' && findTask(draft, taskPath) !== null;
}

/**
 * Accounts for a task's call, remembers its compensation, and delivers the result to the task if the task still exists.
 */
function settleCall(draft: Draft, call: OpenCall, result: CallResult): void {
  const { spent, event } = accountForCall(draft, call, result);
  draft.addSpent(spent);
  updatePossiblyExecuted(draft, call, result);
  const handle = findTask(draft, call.taskPath);
  if (!handle) return;
  if (event) emitTask(handle, event);
  const error = call.called.kind === 'tool' ? rememberCompensation(handle, result) : null;
  const input: CallResult = error
    ? { kind: 'call.failed', key: result.key, failure: { callFailed: false, error } }
    : result;
  if (deliverInput(handle, input) === 'ignore') emitIgnored(handle);
  markCounted(handle, call, result);
}

/** Records the end of a task that ignores its call's result, because a node around it has failed. */
function emitIgnored(handle: TaskHandle): void {
  if (!handle.frame.isFailing || handle.task.state.phase !== 'open') return;
  const error: RunError = { code: 'CANCELED', message: 'A node around it has failed meanwhile' };
  emitTask(handle, { type: 'node.failed', error: addErrorLocation(handle, error), attempts: 1 });
}

/** Counts a call once: a retried task may request it again under the same key. */
function markCounted(handle: TaskHandle, { called }: OpenCall, result: CallResult): void {
  const mayRepeat =
    result.kind === 'call.completed' ? mayAskAgain(handle) : called.kind === 'tool' && mayCallAgain(handle, result);
  if (mayRepeat) handle.draft.addCounted(result.key);
}

/**
 * True if the same call may be requested again under its key. A call of a batch that was possibly executed waits for a
 * person in its open task, who may repeat it.
 */
function mayCallAgain(handle: TaskHandle, { failure }: FailedCallResult): boolean {
  if (wasNeverExecuted(failure)) return false;
  return mayAskAgain(handle) || (handle.task.state.phase === 'open' && !failure.callFailed);
}

/**
 * True if the same model call may be requested again under its key. An answer that takes several calls begins again if
 * the run, or an enclosing node, has ended meanwhile.
 */
function mayAskAgain(handle: TaskHandle): boolean {
  const { state } = handle.task;
  if (state.phase === 'open')
    return isAboutToEnd(handle) || state.position.kind === 'failing' || state.position.kind === 'llm';
  return hasFailed(state);
}
