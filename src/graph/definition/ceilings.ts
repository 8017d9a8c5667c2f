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
