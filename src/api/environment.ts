import type { Catalog } from '../graph/catalog.ts';
import type { Logger } from '../process/logger.ts';
import type { Store } from '../store/store.ts';
import type { Authenticate, Caller } from './authenticate.ts';
import type { Cursors } from './cursor.ts';
import type { Engine } from './engine.ts';

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
  readonly leaving: AbortSignal;
}

/** How often is looked after what tests wait for, too. */
export interface SweepTimes {
  readonly turnsMs: number;
  readonly handOversMs: number;
  readonly forcedEndsMs: number;
  /** So long a forced end is left alone: a last write may come. */
  readonly settledAfterMs: number;
}

/** What an installation says of the API itself. */
export interface ApiSettings {
  /** For how long runs that have ended are kept, and all of their states; milliseconds, `null`: for ever. */
  readonly retention: { readonly runsMs: number | null; readonly checkpointsMs: number | null };
  /** Runs may begin at checkpoints of others. */
  readonly forking: boolean;
  /** So long a process that ends may take to finish what it has begun. */
  readonly shutdownGraceMs: number;
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
