import { own } from '../values/json.ts';

/** The facts about a reducer that validation needs. */
interface ReducerDescription {
  readonly holds: ValueKind;
  /** A superstep may write the channel only once. */
  readonly isExclusive?: true;
  /** A write keeps the earlier messages. */
  readonly keepsMessages?: true;
}

/** A kind of value, as it appears in issue messages. */
export type ValueKind = 'any value' | 'a list' | 'a list of messages' | 'an object' | 'a number' | 'true or false';

/** The reducers that a channel may name. */
export const REDUCERS = {
  replace: { holds: 'any value', isExclusive: true },
  append: { holds: 'a list', keepsMessages: true },
  union: { holds: 'a list' },
  merge: { holds: 'an object' },
  sum: { holds: 'a number' },
  min: { holds: 'a number' },
  max: { holds: 'a number' },
  and: { holds: 'true or false' },
  or: { holds: 'true or false' },
  messages: { holds: 'a list of messages', keepsMessages: true },
} as const satisfies Readonly<Record<string, ReducerDescription>>;

export type ReducerName = keyof typeof REDUCERS;

/** The kind of value that a channel with this reducer holds. */
export type ValueKindOf<Name extends ReducerName> = (typeof REDUCERS)[Name]['holds'];

/** Returns the description of a channel's reducer; `null` for an expression or an unknown name. */
export function describeReducer(reducer: unknown = 'replace'): ReducerDescription | null {
  return typeof reducer === 'string' ? (own<ReducerDescription>(REDUCERS, reducer) ?? null) : null;
}
