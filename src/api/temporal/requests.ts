import { ScheduleNotFoundError, WorkflowNotFoundError, ServiceError } from '@temporalio/client';
import { hasGrpcCode, isGrpcError, isGrpcRefusal } from '../../process/grpc-errors.ts';
import { notNow, unavailable } from '../http/errors.ts';

/** The intervals and the limit of a poll. */
interface PollOptions {
  readonly everyMs: number;
  readonly withinMs: number;
}

/** Looks again and again until the value is as wanted or the time is up. @returns the last value */
export async function poll<T>(
  look: () => Promise<T>,
  isWanted: (seen: T) => boolean,
  { everyMs, withinMs }: PollOptions,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isWanted(seen) || Date.now() + everyMs > until) return seen;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Awaits an answer about a workflow or schedule. @returns `null`: Temporal has no such one @throws other errors */
export async function ifThere<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (NOT_FOUND.some((type) => error instanceof type) || hasGrpcCode(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

const NOT_FOUND = [ScheduleNotFoundError, WorkflowNotFoundError];

/**
 * Asks Temporal.
 * @param what what can't be reached if there is no answer
 * @throws ApiError 503
 */
export async function orUnavailable<T>(what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ServiceError) && !isGrpcError(error)) throw error;
    const refusal = refusalIn(error instanceof ServiceError ? error.cause : error);
    throw refusal === null ? unavailable(what, error) : notNow(`Temporal refuses it: ${refusal}`, error);
  }
}

/** @returns the words in which Temporal refuses a request; `null`: it was not reached, or may answer later */
function refusalIn(error: unknown): string | null {
  if (!isGrpcError(error) || !isGrpcRefusal(error)) return null;
  return 'details' in error && typeof error.details === 'string' ? error.details : error.message;
}
