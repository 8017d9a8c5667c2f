import { HoldfastError } from 'holdfast/client';

const FINAL: ReadonlySet<number | null> = new Set([401, 403, 404]);

/** True if the API has nothing of it for this person, however often it is asked. */
export function isRefused(error: unknown): boolean {
  return error instanceof HoldfastError && FINAL.has(error.status);
}
