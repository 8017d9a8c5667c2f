import { Context } from '@temporalio/activity';
import { hideMessages } from '../../graph/redaction/index.ts';
import { calleeOf } from '../../graph/run/index.ts';
import type { LedgerFailure } from '../../store/calls/ledger.ts';
import { measure } from '../../telemetry/metrics/meter.ts';
import { callLogFields } from './call-logger.ts';
import type { NamedCall } from './call-logger.ts';
import type { CallTask } from './call-task.ts';

/**
 * Counts a failed attempt and logs it: the call, its error, and where configured code threw it. Messages that may quote
 * redacted values are redacted. An attempt that its run has canceled is omitted.
 * @param failed includes the time of the next attempt, if one follows
 */
export function reportFailure(
  call: NamedCall & Pick<CallTask, 'hidesErrors'>,
  { failures, failure, nextAttemptAt }: Pick<LedgerFailure, 'failures' | 'failure' | 'nextAttemptAt'>,
): void {
  const { code, message, cause } = call.hidesErrors ? hideMessages(failure.error) : failure.error;
  if (code === 'CANCELED') return;
  const { kind, name } = calleeOf(call.request);
  const isLast = nextAttemptAt === undefined;
  measure(isLast ? 'holdfast.call.failures' : 'holdfast.call.retries', 1, { kind, called: name, code });
  const text = isLast ? 'a call failed' : 'an attempt of a call failed; another follows';
  Context.current().log.warn(text, {
    ...callLogFields(call),
    attempt: failures,
    code,
    message,
    ...(cause && { cause: { code: cause.code, message: cause.message } }),
    ...(cause?.stack !== undefined && { stack: cause.stack }),
    ...(!isLast && { nextAttemptAt }),
  });
}
