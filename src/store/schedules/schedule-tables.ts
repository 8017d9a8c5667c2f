import type { Redaction } from '../../graph/redaction/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { OptionalText, OptionalTime, Payload, Time } from '../database/columns.ts';
import type { Overlap, TickKind, TickOutcome } from './schedule.ts';

/** Runs that begin at times of their own. */
export interface SchedulesTable {
  tenant_id: string;
  id: string;
  graph: string;
  input: Payload<JsonObject>;
  metadata: Payload<JsonObject>;
  limits: Payload<JsonObject>;
  thread_id: string | null;
  cron: string | null;
  every: string | null;
  time_zone: string;
  overlap: Overlap;
  paused: boolean;
  /** What most callers do not see of its input. */
  redaction: Payload<Redaction>;
  /** As whom its runs act. */
  owner: string;
  /** The roles of the owner, as they were when the owner last said what it does. */
  roles: Payload<readonly string[]>;
  /** Rises with each change. */
  revision: number;
  /** The revision that Temporal has for certain. */
  synced_revision: number;
  /** Until then a process decides about its ticks. */
  lease_until: Time;
  created_at: Time;
  created_by: string;
  updated_at: Time;
  updated_by: string;
  /** Set until Temporal has forgotten it, too. */
  deleted_at: OptionalTime;
}

/** The times that schedules have taken, each once. */
export interface ScheduleTicksTable {
  tenant_id: string;
  schedule_id: string;
  at: Time;
  kind: TickKind;
  /** The id of its run, chosen beforehand: a repetition starts no second one. */
  run_id: string;
  outcome: TickOutcome;
  code: OptionalText;
  message: OptionalText;
}
