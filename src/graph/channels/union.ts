import { canonicalJson, toItems } from '../json.ts';
import { asList } from './mismatch.ts';
import { extend } from './reducer.ts';
import type { Reducer } from './reducer.ts';

/** A list without duplicates (deep equality); the first occurrence stays. */
export const union: Reducer = {
  initial: [],
  exclusive: false,
  reduce(current, update, context) {
    const list = asList(current);
    const seen = new Set(list.map(canonicalJson));
    const items = toItems(update).filter((item) => {
      const key = canonicalJson(item);
      return !seen.has(key) && seen.add(key);
    });
    return extend(list, items, context);
  },
};
