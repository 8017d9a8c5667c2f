import { Context } from '@temporalio/activity';
import { calleeName } from '../../graph/run/index.ts';
import type { LedgerFailure } from '../../store/ledger.ts';
import type { CallTask } from './call-task.ts';

/** Writes a failed attempt to the log: the call, what it failed with, and where configured code has thrown. */
export function logFailure(
  { runId, node, key, request }: Pick<CallTask, 'runId' | 'node' | 'key' | 'request'>,
  { status, failures, failure, ...next }: LedgerFailure,
): void {
  const { code, message, cause } = failure.error;
  if (code === 'CANCELED') return;
  const call = { run: runId, node, called: calleeName(request), key, attempt: failures };
  const facts = { code, message, ...(cause?.stack !== undefined && { stack: cause.stack }) };
  const { log } = Context.current();
  if (status === 'retrying') log.warn('an attempt of a call failed; another follows', { ...call, ...facts, ...next });
  else log.warn('a call failed', { ...call, ...facts });
}
