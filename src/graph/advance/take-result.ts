import type { Draft } from '../draft/draft.ts';
import { recordOccurrence } from '../draft/emit.ts';
import { emitTask, findTask } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { finishCompensation, rememberCompensation, takeReadCompensation } from '../lifecycle/compensation.ts';
import { updatePerhapsMade } from '../lifecycle/perhaps-made.ts';
import type { CompensationCall } from '../run/compensation.ts';
import type { CallResult, RecordedBody } from '../run/occurrence.ts';
import type { OpenCall } from '../run/run.ts';
import { failingAt } from '../run/task-position.ts';
import { hasFailed } from '../run/task-state.ts';
import { deliver, isAboutToEnd } from '../superstep/deliver.ts';
import { withLocation } from '../superstep/fail-task.ts';
import { isNotMade, isUnknownOutcome } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { accountOf } from './account.ts';

/** Takes the result of a call, for which the compensation of another call waits, or a task. */
export function takeResult(draft: Draft, result: CallResult): void {
  const call = draft.takeCall(result.key);
  if (!call) return;
  recordOccurrence(draft, toRecord(draft, call, result));
  if (call.compensates) takeForCompensation(draft, { of: call.compensates, ...call }, result);
  else settleCall(draft, call, withUnknownOutcome(call, result));
}

function takeForCompensation(
  draft: Draft,
  { called, of }: Pick<OpenCall, 'called'> & { readonly of: CompensationCall },
  result: CallResult,
): void {
  if (called.kind === 'reading') takeReadCompensation(draft, of, result);
  else finishCompensation(draft, of, result);
}

/** An unsafe call that is not known to have failed has an unknown outcome, whatever its failure says. */
function withUnknownOutcome({ ifUnknown }: OpenCall, result: CallResult): CallResult {
  if (ifUnknown !== 'ask' || result.kind === 'call.completed') return result;
  const { callFailed, error } = result.failure;
  if (callFailed || isUnknownOutcome(error)) return result;
  const { code, message } = error;
  const unknown = { cause: { code, message }, ...error, code: 'UNKNOWN_OUTCOME' } as const;
  return { ...result, failure: { callFailed, error: unknown } };
}

/** No ledger has the reply of a local call, so what no event says of it is recorded. */
function toRecord(draft: Draft, call: OpenCall, result: CallResult): RecordedBody {
  const { key, isLocal } = result;
  if (result.kind === 'call.failed')
    return { kind: result.kind, key, failure: result.failure, ...(isLocal && { isLocal }) };
  return { kind: result.kind, key, ...(isLocal && !hasEvent(draft, call) && { reply: result.reply }) };
}

/** The result of a tool is in the event of its task. */
function hasEvent(draft: Draft, { called, taskPath }: OpenCall): boolean {
  return called.kind === 'tool' && findTask(draft, taskPath) !== null;
}

/** Accounts for the call of a task, remembers its compensation, and gives the result to the task, if it still exists. */
function settleCall(draft: Draft, call: OpenCall, result: CallResult): void {
  const { spent, event } = accountOf(draft, call, result);
  draft.addSpent(spent);
  updatePerhapsMade(draft, call, result);
  const handle = findTask(draft, call.taskPath);
  if (!handle) return;
  if (event) emitTask(handle, event);
  const error = call.called.kind === 'tool' ? rememberCompensation(handle, result) : null;
  const input: CallResult = error
    ? { kind: 'call.failed', key: result.key, failure: { callFailed: false, error } }
    : result;
  if (deliver(handle, input) === 'ignore') emitIgnored(handle);
  noteCounted(handle, call, result);
}

/** Records the end of a task that ignores its call's result, because a node around it has failed. */
function emitIgnored(handle: TaskHandle): void {
  if (!handle.frame.isFailing || handle.task.state.phase !== 'open') return;
  const error: RunError = { code: 'CANCELED', message: 'A node around it has failed meanwhile' };
  emitTask(handle, { type: 'node.failed', error: withLocation(handle, error), attempts: 1 });
}

/** Counts a call once: a retried task may request it again under the same key. */
function noteCounted(handle: TaskHandle, { called }: OpenCall, result: CallResult): void {
  const mayRepeat =
    result.kind === 'call.completed' ? mayAskAgain(handle) : called.kind === 'tool' && mayCallAgain(handle, result);
  if (mayRepeat) handle.draft.addCounted(result.key);
}

/** A call of a batch that may have been made waits for a person in its open task. */
function mayCallAgain(handle: TaskHandle, { failure }: CallResult & { readonly kind: 'call.failed' }): boolean {
  if (isNotMade(failure)) return false;
  return mayAskAgain(handle) || (handle.task.state.phase === 'open' && !failure.callFailed);
}

/** An answer of several model calls begins anew if the run, or an enclosing node, has ended meanwhile. */
function mayAskAgain(handle: TaskHandle): boolean {
  const { state } = handle.task;
  if (state.phase === 'open')
    return isAboutToEnd(handle) || failingAt(state.position) !== null || state.position.kind === 'llm';
  return hasFailed(state);
}
