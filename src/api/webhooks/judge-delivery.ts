import type { DeliveryResult } from '../../store/webhooks/due-deliveries.ts';
import { HOUR_MS, MINUTE_MS } from '../../graph/values/index.ts';

/** The pauses after failed attempts in milliseconds (Standard Webhooks 1.0, "Deliverability and reliability"). */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Each pause is extended by up to this share, so that messages which failed together are not retried together. */
const JITTER = 0.1;
/** The longest pause that a receiver may request. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** A receiver's answer; the status is `null` when there was none. */
export interface ReceiverAnswer {
  readonly status: number | null;
  /** The pause that `Retry-After` requests, in milliseconds; `null` without the header. */
  readonly retryAfterMs: number | null;
}

/** The statuses with which a receiver may request a pause. */
const BUSY: ReadonlySet<number | null> = new Set([429, 503]);
const GONE = 410;

/**
 * Derives the result of an attempt from its answer: 2xx is success, 410 disables the webhook, and all others are
 * failures, including redirects.
 * @param failures the number of failed attempts before this one
 * @param jitter from 0 to 1
 */
export function judgeDelivery(
  { status, retryAfterMs }: ReceiverAnswer,
  failures: number,
  delaysMs: readonly number[],
  jitter: number,
): DeliveryResult {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'gone' };
  const delayMs = delaysMs[failures];
  if (delayMs === undefined) return { kind: 'failed' };
  const asked = BUSY.has(status) ? Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
  return { kind: 'again', afterMs: Math.round(Math.max(delayMs * (1 + JITTER * jitter), asked)) };
}
