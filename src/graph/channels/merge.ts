import { isJsonObject } from '../json.ts';
import { mismatch } from './mismatch.ts';
import type { Reducer } from './reducer.ts';

/** An object, merged shallowly: later keys win, a `null` value removes its key. */
export const merge: Reducer = {
  initial: {},
  exclusive: false,
  isAdding: true,
  reduce(current, update) {
    if (!isJsonObject(update)) throw mismatch('an object', update);
    const members = Object.entries(update);
    const removed = new Set(members.filter(([, value]) => value === null).map(([key]) => key));
    const kept = Object.entries(isJsonObject(current) ? current : {});
    return Object.fromEntries([...kept, ...members].filter(([key]) => !removed.has(key)));
  },
};
