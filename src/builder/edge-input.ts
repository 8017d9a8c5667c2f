import type { END, START } from '../graph/definition/index.ts';

type OneOrMore<T> = T | readonly T[];

/** A node or the start; a list waits for all of them. */
export type EdgeSource<Id> = OneOrMore<Id | typeof START>;

/** A node or the end, or a list of them. */
export type EdgeTarget<Id> = OneOrMore<Id | typeof END>;

/** A branch; the one without `when` is the default. */
export interface BranchInput<Id> {
  /** CEL that returns a boolean. */
  readonly when?: string;
  /** A node, `END`, or a list of them. */
  readonly to: EdgeTarget<Id>;
}

export interface ForEachOptions {
  /** Number of elements that run at the same time. */
  readonly maxConcurrency?: number;
}
