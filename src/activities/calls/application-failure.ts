import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { TaskFailure } from '../../graph/values/index.ts';
import type { CallError } from './call-error.ts';

/**
 * Converts a `TaskFailure` into the failure of an activity. With a delay the server retries it; without one it is
 * final.
 */
export function toFailure(failure: TaskFailure, delayMs?: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: failure.error.code,
    message: failure.error.message,
    details: [failure],
    nonRetryable: delayMs === undefined,
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs !== undefined && { nextRetryDelay: delayMs }),
  });
}

/** The failure of an activity whose call the ledger refuses. It is final, and says nothing of earlier attempts. */
export function toRefusal({ code, message }: CallError): ApplicationFailure {
  return toFailure({ error: { code, message }, callFailed: false });
}

/** The failure of an activity that could do nothing yet. The server retries it after the delay, in milliseconds. */
export function tryAgainLater(type: string, message: string, delayMs: number): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  return ApplicationFailure.create({ type, message, nextRetryDelay: delayMs, category });
}
