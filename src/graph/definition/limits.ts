/** `count` is 1 at least, `countOrNone` 0; `amount` is any number from 0 on, `duration` a text. */
export type LimitValue = 'count' | 'countOrNone' | 'amount' | 'duration';

/** The limits that a graph, or a run of it, may set. Budgets, deadlines and supersteps enforce them. */
export const LIMITS = {
  maxSteps: { value: 'count' },
  /** So many calls of one run are out at a time; the server holds 2,000 at most. */
  maxConcurrency: { value: 'count', byDefault: 100, atMost: 500 },
  deadline: { value: 'duration' },
  maxTokens: { value: 'count' },
  /** US dollars. */
  maxCostUsd: { value: 'amount' },
  maxToolCalls: { value: 'countOrNone' },
} as const satisfies Readonly<Record<string, LimitDescription>>;

interface LimitDescription {
  readonly value: LimitValue;
  /** In force where nobody sets the limit. */
  readonly byDefault?: number;
  /** In force where somebody asks for more. */
  readonly atMost?: number;
}

export type LimitName = keyof typeof LIMITS;

/** Bounds of a run, as definitions write them. */
export type Limits = { readonly [Name in LimitName]?: Name extends DurationLimit ? string : number };

export type DurationLimit = {
  [Name in LimitName]: (typeof LIMITS)[Name]['value'] extends 'duration' ? Name : never;
}[LimitName];
