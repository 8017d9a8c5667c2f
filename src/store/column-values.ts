import type { WebhookEventType } from '../graph/journal/index.ts';
import type { Divergence, DivergingEvents } from '../graph/replay/index.ts';

/* Values of columns that the answers of the store have, too. They need no types of the query builder. */

/** A divergence whose events are also stored in their redacted form. */
export interface KeptDivergence extends Divergence {
  readonly redacted: DivergingEvents;
}

/** A tenant's quotas set by administrators: `null` removes a quota; absent fields are those of the configuration. */
export interface QuotaTerms {
  readonly runsPerMinute?: number | null;
  readonly costUsdPerDay?: number | null;
}

export type LedgerStatus = 'claimed' | 'retrying' | 'completed' | 'failed' | 'unknown';

/** How the body of a webhook's requests is written. */
export type WebhookFormat = 'standard' | 'slack';

/** A secret that was replaced. */
export interface EarlierSecret {
  readonly secret: string;
  /** The secret signs until this time (RFC 3339). */
  readonly until: string;
}

/** What a delivery tells of: an event, or a test by a person. */
export type DeliveryType = WebhookEventType | 'webhook.ping';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One attempt to send an event to a receiver. */
export interface DeliveryAttempt {
  /** RFC 3339. */
  readonly at: string;
  /** The HTTP status of the answer; `null` when there was none. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}
