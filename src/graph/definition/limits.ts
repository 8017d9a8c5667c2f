/** `count` is an integer from 1, `countOrNone` one from 0, `amount` any number from 0, and `duration` a text. */
export type LimitValue = 'count' | 'countOrNone' | 'amount' | 'duration';

/** Bounds of a run, as definitions write them. */
export interface Limits {
  /** The maximum of supersteps; 25 by default. */
  readonly maxSteps?: number;
  /** The maximum of open calls. */
  readonly maxConcurrency?: number;
  /** The time limit of a run. It stands still while only people are awaited: "30s", "5m", "2h", "7d". */
  readonly deadline?: string;
  /** The maximum of tokens of all model calls together. */
  readonly maxTokens?: number;
  /** The maximum cost of all model calls together, in USD. */
  readonly maxCostUsd?: number;
  /** The maximum of tool calls of a run. */
  readonly maxToolCalls?: number;
}

export type LimitName = keyof Limits;

/** The limits that a graph or a run may set. Budgets, deadlines and supersteps enforce them. */
export const LIMITS = {
  maxSteps: { value: 'count', ceiling: 'maxSteps', description: 'The maximum of supersteps; 25 by default.' },
  maxConcurrency: { value: 'count', ceiling: 'openCallsPerRun', description: 'The maximum of open calls.' },
  deadline: {
    value: 'duration',
    description: 'The time limit of a run. It stands still while only people are awaited: "30s", "5m", "2h", "7d".',
  },
  maxTokens: { value: 'count', description: 'The maximum of tokens of all model calls together.' },
  maxCostUsd: { value: 'amount', description: 'The maximum cost of all model calls together, in USD.' },
  maxToolCalls: { value: 'countOrNone', description: 'The maximum of tool calls of a run.' },
} as const satisfies {
  readonly [Name in LimitName]-?: LimitDescription & { readonly value: LimitValueOf<Limits[Name]> };
};

/** The limits whose use by a run can be counted. */
export const COUNTED_LIMITS = [
  'maxSteps',
  'maxTokens',
  'maxCostUsd',
  'maxToolCalls',
] as const satisfies readonly LimitName[];

export type CountedLimit = (typeof COUNTED_LIMITS)[number];

type LimitValueOf<T> = T extends string | undefined ? 'duration' : Exclude<LimitValue, 'duration'>;

type CeilingOfLimit = 'maxSteps' | 'openCallsPerRun';

export interface LimitDescription {
  /** The text that editors show. */
  readonly description: string;
  readonly value: LimitValue;
  /** The installation's ceiling of the limit. */
  readonly ceiling?: CeilingOfLimit;
}

export type DurationLimit = {
  [Name in LimitName]: (typeof LIMITS)[Name]['value'] extends 'duration' ? Name : never;
}[LimitName];

/** The most that an installation lets graphs ask for. */
export interface Ceilings {
  /** Supersteps of a graph. */
  readonly maxSteps: number;
  /** Attempts of a call. */
  readonly attempts: number;
  /** The time limit of one attempt of a call: a duration. */
  readonly timeout: string;
  /** Tasks of a superstep, with those of the graphs inside. */
  readonly superstepTasks: number;
  /** Events of a run, after which it opens no more supersteps. */
  readonly eventsPerRun: number;
  /** Open calls of a run. */
  readonly openCallsPerRun: number;
}

export const CEILINGS: Ceilings = {
  maxSteps: 10_000,
  attempts: 100,
  timeout: '1h',
  superstepTasks: 10_000,
  eventsPerRun: 1_000_000,
  openCallsPerRun: 500,
};

/** For the validation of graphs whose installation is not known. */
export const NO_CEILINGS: Ceilings = {
  maxSteps: Number.MAX_SAFE_INTEGER,
  attempts: Number.MAX_SAFE_INTEGER,
  timeout: '36500d',
  superstepTasks: Number.MAX_SAFE_INTEGER,
  eventsPerRun: Number.MAX_SAFE_INTEGER,
  openCallsPerRun: Number.MAX_SAFE_INTEGER,
};
