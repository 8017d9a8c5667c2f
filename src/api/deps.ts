import type { ApiSettings } from './api-settings.ts';
import type { Catalog } from '../graph/definition/index.ts';
import type { Logger } from '../process/logger.ts';
import type { Store } from '../store/store.ts';
import type { Authenticate, Caller } from './http/authenticate.ts';
import type { Cursors } from './http/cursor.ts';
import type { Engine } from './temporal/engine.ts';

/** What the API works with. */
export interface ApiDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly settings: ApiSettings;
  readonly authenticate: Authenticate;
  readonly cursors: Cursors;
  readonly logger: Logger;
  /** When the sweeper does its chores, where that is not as usual. */
  readonly sweeping?: Partial<SweepTimes> | undefined;
  /** Aborted when the process begins to end: who waits is answered at once. */
  readonly shuttingDown: AbortSignal;
}

/** How often is looked after what tests wait for, too. */
export interface SweepTimes {
  readonly queuesMs: number;
  readonly dispatchMs: number;
  readonly terminatedRunsMs: number;
  /** So long a forced end is left alone: a last write may come. */
  readonly settledAfterMs: number;
}

/** One try of a request. */
export interface Attempt {
  /** The id of what the request makes or decides: the same for all tries under one idempotency key. */
  readonly id: string;
  /** There was an earlier try, whose answer nobody knows; it may have done the work. */
  readonly isRepetition: boolean;
}

/** What middleware leaves for the handlers of a request. */
export interface ApiEnv {
  Variables: {
    requestId: string;
    caller: Caller;
    attempt: Attempt;
  };
}
