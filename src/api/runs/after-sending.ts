import { isDatabaseAway } from '../../store/database/database-away.ts';
import { ApiError, effectUnknown } from '../http/errors.ts';

/**
 * Does the work from the moment when a decision or control may have reached its run.
 * @throws ApiError 503 with `mayTakeEffect` instead of any other 503
 */
export async function afterSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnavailable(error) ? effectUnknown(`${PASSED_ON}: ${reasonOf(error)}`, error) : error;
  }
}

const PASSED_ON = 'The request was passed on, and its effect is not known yet; the same Idempotency-Key finds out';

function isUnavailable(error: unknown): error is Error {
  return error instanceof ApiError ? error.code === 'UNAVAILABLE' : isDatabaseAway(error);
}

function reasonOf(cause: Error): string {
  return cause instanceof ApiError ? cause.message : "the database can't be reached at the moment";
}
