import type { Fire, FireOutcome, RecordedFire, ScheduleReference } from './schedule.ts';

/** A fire of a schedule. */
export interface FireReference extends ScheduleReference {
  /** RFC 3339. */
  readonly at: string;
}

/** A fire whose workflow Temporal has started. */
export interface OpenedFire extends FireReference {
  /** The id of its run, unless the fire is recorded with another one. */
  readonly runId: string;
  /** When the workflow was started. */
  readonly openedAt: string;
  /** The workflow was started so long ago that the fire is lost, unless a person has asked for it. */
  readonly isLate: boolean;
  /** Temporal has canceled the workflow. */
  readonly isCanceled: boolean;
}

/** A fire with its outcome at a moment. */
export interface ClosableFire extends FireReference {
  readonly outcome: FireOutcome;
}

/** An open fire that has nothing to wait for. */
export interface OverFire extends ClosableFire {
  /** When its workflow was started. */
  readonly openedAt: string;
}

/** An open fire that is to be closed. */
export interface UnclosedFire extends OverFire {
  /** How often it could not be closed. */
  readonly failures: number;
}

/** A fire that one process has claimed, as it is at that moment. */
export interface DueFire extends ClosableFire, Fire {
  /** Temporal was asked for it, and may have received that. */
  readonly isAsked: boolean;
  /** Temporal has received the request of a person for it. */
  readonly isSent: boolean;
  /** When Temporal has started its workflow; `null` before that. */
  readonly openedAt: string | null;
  /** Temporal has canceled its workflow, so that another fire takes its place. */
  readonly isCanceled: boolean;
  /** The milliseconds since its workflow was canceled, or else opened, or else since it was sent. */
  readonly waitedMs: number;
}

/** What is to be done for a fire: its run is canceled, or something else. */
export type FireWork = 'cancel' | 'other';

/** A fire that is open and pending, or whose run has not ended. */
export interface ActiveFire extends Pick<RecordedFire, 'at' | 'runId' | 'outcome'> {
  /** When its workflow was started. */
  readonly openedAt: string;
}
