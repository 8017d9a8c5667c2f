import type { RunError } from '../values/errors.ts';

/** The state of a graph after its supersteps have run as far as they can. */
export type Standing =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly error: RunError }
  /** The graph could go on, but the journal must be written first. */
  | { readonly kind: 'yielded' };
