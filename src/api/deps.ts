import type { ApiSettings } from '../config/api-settings.ts';
import type { Catalog } from '../graph/definition/index.ts';
import type { Logger } from '../process/logger.ts';
import type { Upload } from '../store/files.ts';
import type { AuditedAct } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import type { Authenticate, Caller } from './http/authenticate.ts';
import type { Cursors } from './http/paging.ts';
import type { RecordAct } from './http/recorded-act.ts';
import type { Fingerprints } from './http/fingerprints.ts';
import type { Engine } from './temporal/engine.ts';
import type { RequestAttempt } from './http/admission.ts';
import type { GraphJobs } from './graph-jobs/jobs.ts';

/** The dependencies of the API's handlers. */
export interface ApiDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly catalog: Catalog;
  /** Faults of MCP servers that cost some of their tools. */
  readonly toolWarnings: readonly string[];
  readonly graphJobs: GraphJobs;
  readonly settings: ApiSettings;
  readonly authenticate: Authenticate;
  readonly cursors: Cursors;
  readonly fingerprints: Fingerprints;
  readonly logger: Logger;
  /** Signs in the users of a local stack; only `holdfast start` and `dev` set it. */
  readonly localSignIn?: LocalSignIn | undefined;
  /** True if `GET /metrics` needs no token, because only this machine reaches the API. */
  readonly hasOpenMetrics?: boolean | undefined;
  /** Overrides of the sweeper's default intervals. */
  readonly sweeping?: Partial<SweepTimes> | undefined;
  /** Overrides of the default times of streams, in milliseconds. */
  readonly streaming?: { readonly heartbeatMs?: number; readonly stallMs?: number } | undefined;
  /** Aborted when the process begins to shut down; waiting requests are then answered at once. */
  readonly shuttingDown: AbortSignal;
}

/** Exchanges a one-time code for tokens. @returns `null` for a code that is unknown, used or expired */
export type LocalSignIn = (code: string) => Promise<readonly string[] | null>;

/** Intervals of the sweeper's chores, in milliseconds, which tests shorten. */
export interface SweepTimes {
  readonly queuesMs: number;
  readonly dispatchMs: number;
  readonly terminatedRunsMs: number;
  /** A terminated run is ended only after this time, because its last write may still arrive. */
  readonly settledAfterMs: number;
  readonly lostRunsMs: number;
  /** A run is ended as lost after Temporal has had no workflow of it for this long. */
  readonly lostForMs: number;
  readonly poisonedRunsMs: number;
  readonly firesMs: number;
  readonly syncSchedulesMs: number;
  /** A workflow task must have failed for this long before its run is quarantined. */
  readonly failingForMs: number;
  readonly deliveriesMs: number;
  /** The interval of checks for reminders and escalations of approvals, which may be late by as much. */
  readonly noticesMs: number;
  readonly embedMs: number;
  readonly dispatcher: Partial<DispatcherTimes>;
}

/** Times of webhook deliveries, in milliseconds. */
export interface DispatcherTimes {
  /** An attempt fails when the receiver takes longer than this. */
  readonly answerMs: number;
  /** After this time, another process may claim the delivery. */
  readonly leaseMs: number;
  /** The pauses after failed attempts; their number limits the attempts. */
  readonly delaysMs: readonly number[];
}

/** Values that middleware sets for the handlers of a request. */
export interface ApiEnv {
  Bindings: {
    /** The response side of the connection; requests within the process have none. */
    outgoing?: { destroy(): unknown };
  };
  Variables: {
    requestId: string;
    caller: Caller;
    attempt: RequestAttempt;
    /** The body of a request that uploads a file. */
    upload: Upload;
    /**
     * True when repeating the request may have further effects, so that this answer is not stored under its idempotency
     * key.
     */
    isUnfinished?: boolean;
    /** Audited acts of a successful request that its path does not identify. */
    acts?: readonly AuditedAct[];
    /** Records an act in the audit log while the request is in progress. */
    recordAct: RecordAct;
    /** Records a deletion before it is done. If this fails, nothing is deleted. */
    recordIntent?: () => Promise<void>;
    /**
     * Records the request's acts once. It is awaited before the answer is stored, so that every stored answer has its
     * audit records.
     */
    recordActs?: () => Promise<void>;
    /** The `seq` of the event after which a stream resumes, taken from its ticket. */
    resumeAfter?: number;
    /** Consumes the ticket of a stream that is about to begin. @throws ApiError 401 when another stream has used it */
    useTicket?: () => Promise<void>;
  };
}
