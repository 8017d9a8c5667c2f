import type { ReducerName } from '../definition.ts';
import { append } from './append.ts';
import { and, max, min, or, sum } from './folds.ts';
import { merge } from './merge.ts';
import { messages } from './messages.ts';
import type { Reducer } from './reducer.ts';
import { replace } from './replace.ts';
import { union } from './union.ts';

/** The reducers that a channel may name. */
export const reducers: Readonly<Record<ReducerName, Reducer>> = {
  replace,
  append,
  union,
  merge,
  sum,
  min,
  max,
  and,
  or,
  messages,
};
