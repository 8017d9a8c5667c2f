import type { END, START } from '../graph/definition/index.ts';

type OneOrMore<T> = T | readonly T[];

/** One node or the start; a list waits for all of them. */
export type From<Id> = OneOrMore<Id | typeof START>;

/** One node or the end, or several at once. */
export type To<Id> = OneOrMore<Id | typeof END>;

/** A branch; the one without `when` is the default. */
export interface BranchInput<Id> {
  /** CEL that gives true or false. */
  readonly when?: string;
  readonly to: To<Id>;
}

export interface ForEachOptions {
  /** How many elements are worked on at a time. */
  readonly maxConcurrency?: number;
}
