import { Context } from '@temporalio/activity';
import { calleeName } from '../../../graph/run/index.ts';
import type { LedgerFailure } from '../../../store/ledger.ts';
import type { CallTask } from '../call-task.ts';

/**
 * Writes a failed attempt to the log: the call, what it failed with, and where configured code has thrown. One that its
 * run has canceled is not written.
 * @param failed with the time of the next attempt, if one follows
 */
export function logFailure(
  { runId, node, key, request }: Pick<CallTask, 'runId' | 'node' | 'key' | 'request'>,
  { failures, failure, nextAttemptAt }: Pick<LedgerFailure, 'failures' | 'failure' | 'nextAttemptAt'>,
): void {
  const { code, message, cause } = failure.error;
  if (code === 'CANCELED') return;
  const text = nextAttemptAt === undefined ? 'a call failed' : 'an attempt of a call failed; another follows';
  Context.current().log.warn(text, {
    run: runId,
    node,
    called: calleeName(request),
    key,
    attempt: failures,
    code,
    message,
    ...(cause?.stack !== undefined && { stack: cause.stack }),
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
  });
}
