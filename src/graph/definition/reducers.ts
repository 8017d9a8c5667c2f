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

const DESCRIPTIONS = {
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

export type ReducerName = keyof typeof DESCRIPTIONS;

/** The reducers that a channel may name. */
export const REDUCERS: Readonly<Record<ReducerName, ReducerDescription>> = DESCRIPTIONS;

/** Returns the description of a channel's reducer; `null` for an expression or an unknown name. */
export function describeReducer(reducer: unknown = 'replace'): ReducerDescription | null {
  return typeof reducer === 'string' && isReducerName(reducer) ? REDUCERS[reducer] : null;
}

function isReducerName(name: string): name is ReducerName {
  return Object.hasOwn(REDUCERS, name);
}
