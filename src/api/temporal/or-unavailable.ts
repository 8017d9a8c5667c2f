import { ServiceError } from '@temporalio/client';
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
    if (!(error instanceof ServiceError) && !isConnectionError(error)) throw error;
    const refusal = refusalIn(error instanceof ServiceError ? error.cause : error);
    throw refusal === null ? unavailable(what, error) : notNow(`Temporal refuses it: ${refusal}`, error);
  }
}

export function isConnectionError(error: unknown): error is Error & { readonly code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

/** gRPC codes of refusals, which last until somebody changes something. */
const REFUSED: ReadonlySet<number> = new Set([3, 7, 12, 16]);

/** @returns the words in which Temporal refuses a request; `null`: it was not reached, or may answer later */
function refusalIn(error: unknown): string | null {
  if (!isConnectionError(error) || !REFUSED.has(error.code)) return null;
  return 'details' in error && typeof error.details === 'string' ? error.details : error.message;
}
