import type { ColumnType } from 'kysely';
import type { Intervention, RunView, WebhookEventType } from '../graph/journal/index.ts';
import type { Approval } from '../graph/run/index.ts';
import type { Optional, OptionalPayload, OptionalText, OptionalTime, Payload, Time } from './database/columns.ts';
import type { TaskFailure, JsonObject } from '../graph/values/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Overlap, TickKind, TickOutcome } from './schedules/schedule.ts';

/** A secret that was replaced. */
export interface EarlierSecret {
  readonly secret: string;
  /** It signs until then. RFC 3339. */
  readonly until: string;
}

export interface WebhooksTable {
  id: string;
  tenant_id: string;
  url: string;
  events: readonly WebhookEventType[];
  format: 'standard' | 'slack';
  link_base: OptionalText;
  /** `null`: the format has no signatures. */
  secret: OptionalText;
  /** The newest first; some may sign no more. */
  earlier_secrets: Payload<readonly EarlierSecret[]>;
  /** The request that gave it its secret, unless it was the first. */
  rotation: OptionalText;
  /** The first of the failures since something was delivered. */
  failing_since: OptionalTime;
  disabled_at: OptionalTime;
  disabled_reason: Optional<'gone' | 'failing'>;
  created_at: Time;
  created_by: string;
}

/** An event that at least one webhook is told of. */
export interface WebhookEventsTable {
  id: string;
  tenant_id: string;
  type: WebhookEventType | 'webhook.ping';
  run_id: OptionalText;
  subject_id: OptionalText;
  at: Time;
  /** What the body is made of; `null` once it is made, or if it is made of other rows. */
  subject: OptionalPayload<RunView | Approval | Intervention>;
  /** The bytes that are signed and sent, the same at each attempt; `null`: they are not made yet. */
  body: OptionalText;
}

/** One try to reach a receiver. */
export interface DeliveryAttempt {
  /** RFC 3339. */
  readonly at: string;
  /** That of the answer; `null`: there was none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** An event on its way to one webhook. */
export interface WebhookDeliveriesTable {
  id: string;
  webhook_id: string;
  event_id: string;
  type: WebhookEventType | 'webhook.ping';
  status: 'pending' | 'delivered' | 'failed';
  /** The next attempt, or the end of the lease of the process that makes one; `null`: there is none to come. */
  due_at: OptionalTime;
  /** The process that makes an attempt; a late one can't record anything. */
  claim: OptionalText;
  /** Failed attempts since it was sent off. */
  failures: number;
  attempts: Payload<readonly DeliveryAttempt[]>;
  created_at: Time;
}

/**
 * What is known of calls, by their keys. A call that was made in a local activity has no row. Any other call, also one that
 * a local activity has left to an activity, has one from its first claim on. An attempt without a claim writes it when it
 * ends.
 */
export interface LedgerTable {
  key: string;
  tenant_id: string;
  run_id: string;
  node: string;
  /** The element of a `forEach` that the call is made for. */
  element: number | null;
  called: string;
  request_hash: string;
  /** What was sent, for people; it is cut. */
  request: OptionalPayload;
  status: 'claimed' | 'retrying' | 'completed' | 'failed' | 'unknown';
  /** Goes up when a person orders the call again. */
  takeover: number;
  /** The attempt that holds the claim; a late one can't overwrite it. */
  claim: string;
  /** The time when Temporal scheduled that attempt. */
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

/** The ways in which other systems sign. */
export type HookScheme = 'standard' | 'github' | 'stripe' | 'slack';

/** What a message does. Input and run are templates over it. */
export type HookAction =
  | { readonly start: { readonly graph: string; readonly input: JsonObject } }
  | { readonly event: { readonly run: string; readonly name: string } };

export interface HooksTable {
  tenant_id: string;
  name: string;
  scheme: HookScheme;
  /** `null`: `secret_name` says where it is. */
  secret: OptionalText;
  secret_name: OptionalText;
  action: Payload<HookAction>;
  /** The channels of its input that were redacted when it was written. */
  redacted: readonly string[];
  created_at: Time;
  updated_at: Time;
  updated_by: string;
  /** Those of who changed it last. */
  roles: readonly string[];
}

/** What became of a message. */
export type HookAnswer = { readonly runId: string } | { readonly ok: true };

export interface HookMessagesTable {
  tenant_id: string;
  hook: string;
  /** A hash of what tells it from others. */
  message: string;
  /** The id of its run, or of its event. */
  work_id: string;
  /** Until then one process alone works on it. */
  lease_until: Time;
  /** `null`: it is not done yet. */
  answer: OptionalPayload<HookAnswer>;
  received_at: Time;
}

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
