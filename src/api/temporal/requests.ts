import { ScheduleNotFoundError, WorkflowNotFoundError, ServiceError } from '@temporalio/client';
import { hasGrpcCode, isGrpcError, isGrpcRefusal } from '../../process/grpc-errors.ts';
import { unavailableNow, unavailable } from '../http/errors.ts';

/** The intervals and the time limit of a poll, in milliseconds. */
interface PollOptions {
  readonly everyMs: number;
  readonly withinMs: number;
}

/** Reads a value repeatedly until it is as wanted or the time is up. @returns the last value */
export async function pollUntil<T>(
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

/**
 * Awaits a request about a workflow or schedule.
 * @returns `null` when Temporal does not have it
 * @throws all other errors
 */
export async function nullIfNotFound<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (NOT_FOUND.some((type) => error instanceof type) || hasGrpcCode(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

const NOT_FOUND = [ScheduleNotFoundError, WorkflowNotFoundError];

/**
 * Makes a request to Temporal.
 * @param what the name of the unavailable thing in the error message, if Temporal does not answer
 * @throws ApiError 503
 */
export async function orUnavailable<T>(what: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ServiceError) && !isGrpcError(error)) throw error;
    const refusal = refusalIn(error instanceof ServiceError ? error.cause : error);
    throw refusal === null ? unavailable(what, error) : unavailableNow(`Temporal refuses it: ${refusal}`, error);
  }
}

/**
 * @returns the message with which Temporal refuses a request; `null` when Temporal was not reached or may answer later
 */
function refusalIn(error: unknown): string | null {
  if (!isGrpcError(error) || !isGrpcRefusal(error)) return null;
  return 'details' in error && typeof error.details === 'string' ? error.details : error.message;
}
