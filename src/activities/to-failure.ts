import { ApplicationFailure } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { TaskFailure } from '../graph/scope.ts';

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
