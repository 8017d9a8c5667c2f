import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { TaskFailure } from '../../graph/values/index.ts';
import type { CallError } from './call-error.ts';

/**
 * Converts a `TaskFailure` into the failure of an activity. With a delay the server retries it; without one it is
 * final. Its stack is that of the user's code, if that has thrown.
 */
export function toApplicationFailure(failure: TaskFailure, delayMs?: number): ApplicationFailure {
  const { code, message, cause } = failure.error;
  const applicationFailure = ApplicationFailure.create({
    type: code,
    message,
    details: [failure],
    nonRetryable: delayMs === undefined,
    category: ApplicationFailureCategory.BENIGN,
    ...(delayMs !== undefined && { nextRetryDelay: delayMs }),
  });
  // Temporal shows where the user's code threw, not where the engine caught it.
  if (cause?.stack !== undefined) applicationFailure.stack = `${code}: ${message}\n${indentFrames(cause.stack)}`;
  return applicationFailure;
}

function indentFrames(frames: string): string {
  return frames.replaceAll(/^/gm, '    ');
}

/** The failure of an activity whose call the ledger refuses. It is final, and does not describe earlier attempts. */
export function toRefusedFailure({ code, message }: CallError): ApplicationFailure {
  return toApplicationFailure({ error: { code, message }, callFailed: false });
}

/**
 * The failure of an activity that could not start its work yet. The server retries it after the delay, in milliseconds.
 */
export function tryAgainLater(type: string, message: string, delayMs: number): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  return ApplicationFailure.create({ type, message, nextRetryDelay: delayMs, category });
}
