import { HoldfastError } from 'holdfast/client';

/** Says what to show of an error: what the API has said, or that it can't be reached. */
export function describeError(error: unknown): { readonly title: string; readonly detail: string } {
  if (!(error instanceof HoldfastError)) return { title: 'Something went wrong', detail: String(error) };
  if (error.code === 'UNREACHABLE') return { title: 'The API can’t be reached', detail: error.detail };
  return { title: error.code, detail: error.detail };
}

/** True if a refused request has certainly done nothing, so that the next one is another, with a key of its own. */
export function isDefinite(error: unknown): boolean {
  return error instanceof HoldfastError && !error.mayTakeEffect;
}

const FINAL: ReadonlySet<number | null> = new Set([401, 403, 404]);

/** True if the API has nothing of it for this person, however often it is asked. */
export function isRefused(error: unknown): boolean {
  return error instanceof HoldfastError && FINAL.has(error.status);
}
