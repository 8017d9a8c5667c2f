import type { Reducer } from './reducer.ts';

/** The last value written. */
export const replace: Reducer = {
  initial: null,
  exclusive: true,
  reduce: (_current, update) => update,
};
