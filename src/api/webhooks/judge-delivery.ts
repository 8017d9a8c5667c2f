import type { DeliveryResult } from '../../store/webhooks/due-deliveries.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after failed attempts (Standard Webhooks 1.0, "Deliverability and reliability"). */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** So much longer may a pause be, so that messages which failed together do not come back together. */
const JITTER = 0.1;
/** A receiver that asks for a longer pause is not believed. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** What a receiver has answered; without a status there was no answer. */
export interface Answered {
  readonly status: number | null;
  /** The pause that it asks for, if it does. */
  readonly retryAfterMs: number | null;
}

/** What an attempt is judged by besides its answer. */
interface Judging {
  /** Failed attempts before. */
  readonly failures: number;
  /** From 0 to 1. */
  readonly jitter: number;
  readonly delaysMs: readonly number[];
}

/** The statuses with which a receiver may ask for a pause. */
const BUSY: ReadonlySet<number | null> = new Set([429, 503]);
const GONE = 410;

/** Says what follows from an answer: a 2xx is success, 410 the end, and all others are failures, redirects too. */
export function judgeDelivery(
  { status, retryAfterMs }: Answered,
  { failures, jitter, delaysMs }: Judging,
): DeliveryResult {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'gone' };
  const delayMs = delaysMs[failures];
  if (delayMs === undefined) return { kind: 'failed' };
  const asked = BUSY.has(status) ? Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) : 0;
  return { kind: 'again', afterMs: Math.round(Math.max(delayMs * (1 + JITTER * jitter), asked)) };
}
