import type { Intervention, RunView, WebhookEventType } from '../../graph/journal/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Optional, OptionalPayload, OptionalText, OptionalTime, Payload, Time } from '../database/columns.ts';

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
