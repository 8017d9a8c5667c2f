import { HoldfastError } from 'holdfast/client';

/** Returns title and detail of an error for people: the API's own, or that it is unreachable. */
export function describeError(error: unknown): { readonly title: string; readonly detail: string } {
  if (!(error instanceof HoldfastError)) return { title: 'Something went wrong', detail: String(error) };
  if (error.code === 'UNREACHABLE') return { title: 'The API can’t be reached', detail: error.detail };
  return { title: error.code, detail: error.detail };
}

/** True if a refused request certainly had no effect, so that the next one takes a new idempotency key. */
export function isDefinite(error: unknown): boolean {
  return error instanceof HoldfastError && !error.mayTakeEffect;
}

const FINAL: ReadonlySet<number | null> = new Set([401, 403, 404]);

/** True if the API will not give the resource to this person, so that retries are useless. */
export function isRefused(error: unknown): boolean {
  return error instanceof HoldfastError && FINAL.has(error.status);
}
