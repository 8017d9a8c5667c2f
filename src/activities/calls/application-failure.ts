import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';
import type { CallError } from './call-error.ts';

/** How an activity says what has failed. With a delay the server has it tried again; without one it is over. */
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

/** The error of a call of which nobody can tell whether it was done. */
export function unknownOutcomeError(message: string, attempts: number, failure?: CallError): RunError {
  const cause = failure && { cause: { code: failure.code, message: truncate(failure.message, MAX_MESSAGE) } };
  return {
    code: 'UNKNOWN_OUTCOME',
    message: `Nobody can tell whether the call was done: ${truncate(message, MAX_MESSAGE)}`,
    attempts,
    ...cause,
  };
}
