import type { Redaction } from '../../graph/redaction/index.ts';
import type { RunStatus } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';

/** What a fire does while a run of its schedule has not ended. */
export type Overlap = 'skip' | 'buffer' | 'allow' | 'cancelOther';

/** The times of a schedule. */
export type Timing =
  /** A cron expression with five fields. */
  | { readonly cron: string; readonly every: null }
  /** An ISO 8601 duration, counted from the epoch. */
  | { readonly cron: null; readonly every: string };

/** Identifies a schedule of a tenant. */
export interface ScheduleReference {
  readonly tenantId: string;
  readonly id: string;
}

/** The part of a schedule that people set. */
export type ScheduleTerms = Timing & {
  /** `name`, `name@version` or `name@alias`. */
  readonly graph: string;
  readonly input: JsonObject;
  readonly metadata: JsonObject;
  readonly limits: JsonObject;
  readonly threadId: string | null;
  /** An IANA time zone name. */
  readonly timeZone: string;
  readonly overlap: Overlap;
  readonly paused: boolean;
};

/** A stored schedule. */
export type Schedule = ScheduleReference &
  ScheduleTerms & {
    /** What is hidden of its input from callers without `payload:read`. */
    readonly redaction: Redaction;
    /** The subject on whose behalf the runs act: who has created the schedule, or changed later what it does. */
    readonly owner: string;
    /** The owner's roles at that time. */
    readonly roles: readonly string[];
    readonly revision: number;
    readonly createdAt: string;
    readonly createdBy: string;
    readonly updatedAt: string;
    readonly updatedBy: string;
  };

/** Why a schedule fires: at one of its times, by a trigger, or by a backfill of times that are over. */
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

/** The result of a fire. */
export interface FireResult {
  readonly outcome: Exclude<FireOutcome, 'pending'>;
  /** Why there is no run. */
  readonly code?: string;
  readonly message?: string;
}

/** A fire with its result. */
export interface RecordedFire extends Fire {
  readonly outcome: FireOutcome;
  readonly code: string | null;
  readonly message: string | null;
  /** The status of its run; `null` when there is no run. */
  readonly status: RunStatus | null;
}
