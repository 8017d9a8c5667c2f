import type { ColumnType, Generated } from 'kysely';
import type { Intervention, RunView, WebhookEventType } from '../graph/journal/index.ts';
import type { Approval } from '../graph/run/index.ts';
import type {
  DeliveryAttempt,
  DeliveryStatus,
  DeliveryType,
  EarlierSecret,
  LedgerStatus,
  WebhookFormat,
} from './column-values.ts';
import type { Optional, OptionalPayload, OptionalText, OptionalTime, Payload, Time } from './database/columns.ts';
import type { TaskFailure } from '../graph/values/index.ts';
import type { FireKind, FireOutcome, Schedule } from './schedules/schedule.ts';
import type { HookScheme, HookAction, HookAnswer } from './hook.ts';

export interface WebhooksTable {
  id: string;
  tenant_id: string;
  url: string;
  events: readonly WebhookEventType[];
  format: WebhookFormat;
  link_base: OptionalText;
  /** `null` when the format has no signatures. */
  secret: OptionalText;
  /** Newest first; some may have expired. */
  earlier_secrets: Payload<readonly EarlierSecret[]>;
  /** The request that has set the current secret by a rotation, if any. */
  rotation: OptionalText;
  /** The time of the first failure since the last delivery. */
  failing_since: OptionalTime;
  disabled_at: OptionalTime;
  disabled_reason: Optional<'gone' | 'failing'>;
  created_at: Time;
  created_by: string;
}

/** An event that is sent to at least one webhook. */
export interface WebhookEventsTable {
  id: string;
  tenant_id: string;
  type: DeliveryType;
  run_id: OptionalText;
  subject_id: OptionalText;
  at: Time;
  /** The data from which the body is built; `null` once it is built, or if it is built from other rows. */
  subject: OptionalPayload<RunView | Approval | Intervention>;
  /** The bytes that are signed and sent, the same at each attempt; `null` until they are built. */
  body: OptionalText;
}

/** The delivery of an event to one webhook. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event_id: string;
  type: DeliveryType;
  status: DeliveryStatus;
  /** The time of the next attempt, or the end of the lease during an attempt; `null` when no attempt will follow. */
  due_at: OptionalTime;
  /** The claim of the process that makes an attempt; a process that has lost the claim can't record anything. */
  claim: OptionalText;
  /** The number of failed attempts since the event was sent or replayed. */
  failures: number;
  attempts: Payload<readonly DeliveryAttempt[]>;
  created_at: Time;
}

/**
 * The ledger of calls by key. A call that was made in a local activity has no row. Any other call has one from its
 * first claim on, including a call that a local activity has passed on to an activity. An attempt without a claim
 * writes the row when it ends.
 */
export interface LedgerTable {
  key: string;
  tenant_id: string;
  run_id: string;
  node: string;
  /** The index of the `forEach` element for which the call is made. */
  element: number | null;
  called: string;
  request_hash: string;
  /** The request, truncated, for display. */
  request: OptionalPayload;
  status: LedgerStatus;
  /** Increases when a person orders a takeover of the call. */
  takeover: number;
  /** The attempt that holds the claim; an attempt that has lost the claim can't overwrite the row. */
  claim: string;
  /** When Temporal scheduled that attempt. */
  scheduled_at: Time;
  failures: number;
  /** The failed attempts, oldest first, each as the text of a `FailedAttempt`. */
  attempts: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>;
  result: OptionalPayload;
  failure: OptionalPayload<TaskFailure>;
  next_attempt_at: OptionalTime;
  claimed_at: Time;
  updated_at: Time;
}

export interface HooksTable {
  tenant_id: string;
  name: string;
  scheme: HookScheme;
  /** `null` when `secret_name` refers to the secret. */
  secret: OptionalText;
  secret_name: OptionalText;
  action: Payload<HookAction>;
  /** The input channels that were redacted when the hook was stored. */
  redacted: readonly string[];
  created_at: Time;
  updated_at: Time;
  updated_by: string;
  /** The roles of the user who changed the hook last. */
  roles: readonly string[];
}

export interface HookMessagesTable {
  tenant_id: string;
  hook: string;
  /** A hash of the content that distinguishes the message from others. */
  message: string;
  /** The id of the run or event that the message causes. */
  work_id: string;
  /** The end of the lease of the process that handles the message. */
  lease_until: Time;
  /** `null` until the message was processed. */
  answer: OptionalPayload<HookAnswer>;
  received_at: Time;
}

/** Schedules that start runs. */
export interface SchedulesTable {
  tenant_id: string;
  id: string;
  /** All of it. The other columns are what statements look for. */
  schedule: Payload<Schedule>;
  /** Increases with each change. */
  revision: number;
  /** The last revision that Temporal is known to have. */
  synced_revision: number;
  created_at: Time;
  updated_at: Time;
  /** Set until the schedule was deleted in Temporal too. */
  deleted_at: OptionalTime;
}

/** The fires of schedules, one for each time. */
export interface ScheduleFiresTable {
  tenant_id: string;
  schedule_id: string;
  at: Time;
  kind: FireKind;
  /** The id of its run, chosen beforehand: a repetition starts no second one. */
  run_id: string;
  outcome: FireOutcome;
  code: OptionalText;
  message: OptionalText;
  /** Temporal was asked for it, and may have received that. */
  asked_at: OptionalTime;
  /** Temporal has received the request of a person for it. */
  sent_at: OptionalTime;
  /** Temporal has started its workflow. */
  opened_at: OptionalTime;
  /** Temporal has canceled its workflow, so that another fire takes its place. */
  canceled_at: OptionalTime;
  /** Nothing is left to do for it. */
  closed_at: OptionalTime;
  /** One process works on it until then, or nothing is to be done until then. */
  due_at: Generated<Time>;
  /** It is not closed before. */
  close_after: Generated<Time>;
  /** How often it could not be closed. */
  close_failures: Generated<number>;
}
