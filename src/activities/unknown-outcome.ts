import { MAX_MESSAGE } from '../graph/errors.ts';
import type { RunError } from '../graph/errors.ts';
import { truncate } from '../graph/truncate.ts';
import type { CallError } from './call-error.ts';

/** The error of a call of which nobody can tell whether it was done. */
export function unknownOutcome(message: string, attempts: number, failure?: CallError): RunError {
  const cause = failure && { cause: { code: failure.code, message: truncate(failure.message, MAX_MESSAGE) } };
  return {
    code: 'UNKNOWN_OUTCOME',
    message: `Nobody can tell whether the call was done: ${truncate(message, MAX_MESSAGE)}`,
    attempts,
    ...cause,
  };
}
