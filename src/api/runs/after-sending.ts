import { isDatabaseAway } from '../../store/database/database-away.ts';
import { ApiError, effectUnknown } from '../http/errors.ts';

/**
 * Does the work from the moment when a decision or control may have reached its run.
 * @throws ApiError 503 with `mayTakeEffect`, unless the run has refused it
 */
export async function afterSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isRefusal(error) ? error : effectUnknown(`${PASSED_ON}: ${reasonOf(error)}`, error);
  }
}

const PASSED_ON = 'The request was passed on, and its effect is not known yet; the same Idempotency-Key finds out';

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 'UNAVAILABLE';
}

function reasonOf(cause: unknown): string {
  if (cause instanceof ApiError) return cause.message;
  return isDatabaseAway(cause)
    ? "the database can't be reached at the moment"
    : 'the server failed, and its log says why';
}
