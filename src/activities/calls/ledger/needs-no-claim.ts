import { Context } from '@temporalio/activity';
import type { CallSafety } from '../../../graph/definition/index.ts';
import { isAccountable } from '../../../graph/run/index.ts';
import type { CallTask } from '../call-task.ts';

/** An attempt that begins later has perhaps been given up by the server, and another one makes the call. */
const PROMPT_MS = 2_000;

/**
 * True if the call is made without a claim: it may be made again at any time, and this is its first attempt. Calls of
 * models are claimed, because each costs money: an answer that is there already is not asked for again.
 */
export function needsNoClaim(task: CallTask, safety: CallSafety): boolean {
  const { attempt, currentAttemptScheduledTimestampMs } = Context.current().info;
  if (!mayLackClaim(task) || safety !== 'idempotent') return false;
  return attempt === 1 && task.takeover === 0 && Date.now() - currentAttemptScheduledTimestampMs < PROMPT_MS;
}

/** True if attempts of a call may have left no trace in the ledger. */
export function mayLackClaim(task: CallTask): boolean {
  return task.request.kind !== 'model' && task.request.effect === 'idempotent' && !isAccountable(task);
}
