import { Context } from '@temporalio/activity';
import { calleeName, calleeOf } from '../../../graph/run/index.ts';
import type { LedgerFailure } from '../../../store/ledger.ts';
import { measure } from '../../../telemetry/metrics/meter.ts';
import type { CallTask } from '../call-task.ts';

type FailedTask = Pick<CallTask, 'runId' | 'tenantId' | 'graph' | 'node' | 'visit' | 'index' | 'key' | 'request'>;

/**
 * Counts a failed attempt and writes it to the log: the call, what it failed with, and where configured code has thrown.
 * One that its run has canceled is left out.
 * @param failed with the time of the next attempt, if one follows
 */
export function tellFailure(
  { runId, tenantId, graph, node, visit, index, key, request }: FailedTask,
  { failures, failure, nextAttemptAt }: Pick<LedgerFailure, 'failures' | 'failure' | 'nextAttemptAt'>,
): void {
  const { code, message, cause } = failure.error;
  if (code === 'CANCELED') return;
  const { kind, name } = calleeOf(request);
  const isLast = nextAttemptAt === undefined;
  measure(isLast ? 'holdfast.call.failures' : 'holdfast.call.retries', 1, { kind, called: name, code });
  const text = isLast ? 'a call failed' : 'an attempt of a call failed; another follows';
  Context.current().log.warn(text, {
    run: runId,
    tenant: tenantId,
    graph,
    node,
    visit,
    index,
    called: calleeName(request),
    key,
    attempt: failures,
    code,
    message,
    ...(cause && { cause: { code: cause.code, message: cause.message } }),
    ...(cause?.stack !== undefined && { stack: cause.stack }),
    ...(!isLast && { nextAttemptAt }),
  });
}
