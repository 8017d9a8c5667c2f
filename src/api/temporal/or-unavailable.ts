import { ServiceError } from '@temporalio/client';
import { isGrpcError, isGrpcRefusal } from '../../process/grpc-errors.ts';
import { notNow, unavailable } from '../http/errors.ts';

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
