import type { Redaction } from '../../graph/redaction/index.ts';
import type { RunStatus } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';

/** What a time does while a run of its schedule is not over. */
export type Overlap = 'skip' | 'buffer' | 'allow' | 'cancelOther';

/** The times of a schedule. */
export type Timing =
  /** Five fields. */
  | { readonly cron: string; readonly every: null }
  /** A duration, counted from the epoch. */
  | { readonly cron: null; readonly every: string };

/** A schedule and its tenant. */
export interface ScheduleReference {
  readonly tenantId: string;
  readonly id: string;
}

/** What a person says of a schedule. */
export type ScheduleTerms = Timing & {
  /** `name`, `name@version` or `name@alias`. */
  readonly graph: string;
  readonly input: JsonObject;
  readonly metadata: JsonObject;
  readonly limits: JsonObject;
  readonly threadId: string | null;
  /** An IANA name. */
  readonly timeZone: string;
  readonly overlap: Overlap;
  readonly paused: boolean;
};

/** Runs that begin at times of their own. */
export type Schedule = ScheduleReference &
  ScheduleTerms & {
    /** What most callers do not see of its input. */
    readonly redaction: Redaction;
    /** The subject of the person as whom its runs act: who has made it, or has changed what it does since. */
    readonly owner: string;
    /** The owner's roles, as they were then. */
    readonly roles: readonly string[];
    readonly revision: number;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
  };

/** Why a schedule has fired: its time has come, a person has triggered it, or a person has asked for times that are over. */
export type FireKind = 'time' | 'trigger' | 'backfill';

export type FireOutcome = 'pending' | 'started' | 'skipped' | 'failed';

/** A time at which a schedule fires. */
export interface Fire {
  /** RFC 3339. */
  readonly at: string;
  readonly kind: FireKind;
  /** The run that it starts, or would have started. */
  readonly runId: string;
}

/** What a fire has led to. */
export interface FireResult {
  readonly outcome: Exclude<FireOutcome, 'pending'>;
  /** Why there is no run. */
  readonly code?: string;
  readonly message?: string;
}

/** A fire with what it has led to. */
export interface RecordedFire extends Fire {
  readonly outcome: FireOutcome;
  readonly code: string | null;
  readonly message: string | null;
  /** The status of its run; `null`: there is none. */
  readonly status: RunStatus | null;
  /** Temporal has started its workflow, which waits for the end of the run. */
  readonly isOpen: boolean;
}
