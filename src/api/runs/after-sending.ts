import { isDatabaseAway } from '../../store/database/database-away.ts';
import { ApiError } from '../http/errors.ts';
import { RETRY_LATER } from '../../process/problem.ts';

/**
 * Does the work from the moment when a decision or control may have reached its run.
 * @throws ApiError 503 with `mayTakeEffect` instead of any other 503
 */
export async function afterSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnavailable(error) ? unknownEffect(error) : error;
  }
}

function isUnavailable(error: unknown): error is Error {
  return error instanceof ApiError ? error.code === 'UNAVAILABLE' : isDatabaseAway(error);
}

function unknownEffect(cause: Error): ApiError {
  const detail = 'The request was passed on, and its effect is not known yet; the same Idempotency-Key finds out';
  return new ApiError('UNAVAILABLE', `${detail}: ${reasonOf(cause)}`, {
    headers: RETRY_LATER,
    mayTakeEffect: true,
    cause,
  });
}

function reasonOf(cause: Error): string {
  return cause instanceof ApiError ? cause.message : "the database can't be reached at the moment";
}
