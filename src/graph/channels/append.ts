import { toItems } from '../json.ts';
import { asList } from './mismatch.ts';
import { extend } from './reducer.ts';
import type { Reducer } from './reducer.ts';

/** A list: a list written to it is concatenated, any other value pushed. */
export const append: Reducer = {
  initial: [],
  exclusive: false,
  reduce: (current, update, context) => extend(asList(current), toItems(update), context),
};
