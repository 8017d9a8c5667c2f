import { HoldfastError } from 'holdfast/client';

/** Says what to show of an error: what the API has said, or that it can't be reached. */
export function describeError(error: unknown): { readonly title: string; readonly detail: string } {
  if (!(error instanceof HoldfastError)) return { title: 'Something went wrong', detail: String(error) };
  if (error.code === 'UNREACHABLE') return { title: 'The API can’t be reached', detail: error.detail };
  return { title: error.code, detail: error.detail };
}
