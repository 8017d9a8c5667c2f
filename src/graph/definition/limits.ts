/** `count` is an integer from 1, `countOrNone` one from 0, `amount` any number from 0, and `duration` a text. */
export type LimitValue = 'count' | 'countOrNone' | 'amount' | 'duration';

/** The limits that a graph or a run may set. Budgets, deadlines and supersteps enforce them. */
export const LIMITS = {
  maxSteps: { value: 'count', ceiling: 'maxSteps' },
  /** The maximum of open calls of one run. */
  maxConcurrency: { value: 'count', ceiling: 'openCallsPerRun' },
  deadline: { value: 'duration' },
  maxTokens: { value: 'count' },
  /** US dollars. */
  maxCostUsd: { value: 'amount' },
  maxToolCalls: { value: 'countOrNone' },
} as const satisfies Readonly<Record<string, LimitDescription>>;

type CeilingOfLimit = 'maxSteps' | 'openCallsPerRun';

export interface LimitDescription {
  readonly value: LimitValue;
  /** The installation's ceiling of the limit. */
  readonly ceiling?: CeilingOfLimit;
}

export type LimitName = keyof typeof LIMITS;

/** Bounds of a run, as definitions write them. */
export type Limits = { readonly [Name in LimitName]?: Name extends DurationLimit ? string : number };

export type DurationLimit = {
  [Name in LimitName]: (typeof LIMITS)[Name]['value'] extends 'duration' ? Name : never;
}[LimitName];
