import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { CallError } from './call-error.ts';
import { causeOf } from './stacks/cause-of.ts';

/** The error of a call whose outcome is unknown. */
export function unknownOutcomeError(message: string, attempts: number, failure?: CallError): RunError {
  return {
    code: 'UNKNOWN_OUTCOME',
    message: `It is unknown whether the call was made: ${truncate(message, MAX_MESSAGE)}`,
    attempts,
    ...(failure && causeOf(failure, failure.code)),
  };
}
