import type { ApiSettings } from '../config/api-settings.ts';
import type { Catalog } from '../graph/definition/index.ts';
import type { Logger } from '../process/logger.ts';
import type { Upload } from '../store/files.ts';
import type { Act } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import type { Authenticate, Caller } from './http/authenticate.ts';
import type { Cursors } from './http/paging.ts';
import type { GraphJobs } from './graph-jobs/graph-jobs.ts';
import type { RecordAct } from './http/recorded-act.ts';
import type { Fingerprints } from './http/fingerprints.ts';
import type { Engine } from './temporal/engine.ts';

/** The parts that the API works with. */
export interface ApiDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: Catalog;
  readonly graphJobs: GraphJobs;
  readonly settings: ApiSettings;
  readonly authenticate: Authenticate;
  readonly cursors: Cursors;
  readonly fingerprints: Fingerprints;
  readonly logger: Logger;
  /** Tokens of a local stack's people; only `holdfast start` and `dev` have some. */
  readonly localSignIn?: LocalSignIn | undefined;
  /** Intervals of the sweeper that differ from the defaults. */
  readonly sweeping?: Partial<SweepTimes> | undefined;
  /** Times of streams that differ from the defaults, in milliseconds. */
  readonly streaming?: { readonly heartbeatMs?: number; readonly stallMs?: number } | undefined;
  /** Aborted when the process begins to shut down; waiting requests are answered at once. */
  readonly shuttingDown: AbortSignal;
}

/** Exchanges a one-time code for tokens. @returns `null` when it is no code, has been used or is too old */
export type LocalSignIn = (code: string) => Promise<readonly string[] | null>;

/** Intervals of the sweeper's chores that tests shorten. */
export interface SweepTimes {
  readonly queuesMs: number;
  readonly dispatchMs: number;
  readonly terminatedRunsMs: number;
  /** A terminated run is left alone for this long, because its last write may still come. */
  readonly settledAfterMs: number;
  readonly lostRunsMs: number;
  /** Temporal must lack the workflow of a run for this long before the run is ended. */
  readonly lostForMs: number;
  readonly poisonedRunsMs: number;
  readonly firesMs: number;
  readonly syncSchedulesMs: number;
  /** A workflow task must have failed for this long before its run is put aside. */
  readonly failingForMs: number;
  readonly deliveriesMs: number;
  /** How late reminders and escalations of approvals may be. */
  readonly noticesMs: number;
  readonly embedMs: number;
  readonly dispatcher: Partial<DispatcherTimes>;
}

/** Times of deliveries to webhooks. */
export interface DispatcherTimes {
  /** A receiver that takes longer has failed. */
  readonly answerMs: number;
  /** After this time another process takes over what one has claimed. */
  readonly leaseMs: number;
  /** The pauses after failures, and so the number of attempts. */
  readonly delaysMs: readonly number[];
}

/** One try of a request. */
export interface RequestAttempt {
  /** The id of the new resource or decision: the same for all tries with one idempotency key. */
  readonly id: string;
  /** An earlier try may have done the work; its answer is not known. */
  readonly isRepetition: boolean;
}

/** Values that middleware leaves for the handlers of a request. */
export interface ApiEnv {
  Bindings: {
    /** The answer's side of the connection; requests within the process have none. */
    outgoing?: { destroy(): unknown };
  };
  Variables: {
    requestId: string;
    caller: Caller;
    attempt: RequestAttempt;
    /** The body of the request, where it is a file. */
    upload: Upload;
    /** The same request may do more than this answer tells: its key does not keep it. */
    isUnfinished?: boolean;
    /** Acts of a request that succeeds, where the path does not say them; for the audit. */
    acts?: readonly Act[];
    /** Records what is done while a request goes on. */
    recordAct: RecordAct;
    /** Records a deletion that is about to be done; without a record it is not done. */
    recordIntent?: () => Promise<void>;
    /** Records what was done, once; awaited before the answer is kept, so that a key whose answer is known is recorded. */
    recordActs?: () => Promise<void>;
    /** The event that a stream goes on after, by its ticket. */
    resumeAfter?: number;
    /** Uses the ticket of a stream up that is about to begin. @throws ApiError 401 when another one has used it */
    useTicket?: () => Promise<void>;
  };
}
