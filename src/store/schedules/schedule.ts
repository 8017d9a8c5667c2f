import type { Redaction } from '../../graph/redaction/index.ts';
import type { RunStatus } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';

/** What a tick does while a run of its schedule is not over. */
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

/** Why a tick has come: its time, a person, or a person who asked for times that are over. */
export const TICK_KINDS = ['time', 'trigger', 'backfill'] as const;
export type TickKind = (typeof TICK_KINDS)[number];

export type TickOutcome = 'pending' | 'started' | 'skipped' | 'failed';

/** A time that a schedule has taken. */
export interface Tick {
  /** RFC 3339. */
  readonly at: string;
  readonly kind: TickKind;
  /** The run that it starts, or would have started. */
  readonly runId: string;
}

/** What has become of a tick. */
export interface TickResult {
  readonly outcome: Exclude<TickOutcome, 'pending'>;
  /** Why there is no run. */
  readonly code?: string;
  readonly message?: string;
}

/** A tick with what has become of it. */
export interface TakenTick extends Tick {
  readonly outcome: TickOutcome;
  readonly code: string | null;
  readonly message: string | null;
  /** The status of its run; `null` when there is no run. */
  readonly status: RunStatus | null;
}
