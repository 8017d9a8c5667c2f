import type { ClaimedDelivery, DeliveryResult } from '../../store/webhooks/due-deliveries.ts';
import type { CourierTimes, ApiDeps } from '../deps.ts';
import { makeBody } from './event-body.ts';
import { judgeDelivery } from './judge-delivery.ts';
import type { Posted, Sender } from './sender.ts';
import { toSlackMessage } from './slack-message.ts';
import { signatureHeaders } from './standard-webhooks.ts';

export interface AttemptDeps extends Pick<ApiDeps, 'store' | 'seals' | 'logger'> {
  readonly sender: () => Promise<Sender>;
  readonly times: Pick<CourierTimes, 'answerMs' | 'delaysMs'>;
}

/** Sends a claimed delivery and records what became of it. */
export async function attemptDelivery(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<DeliveryResult> {
  const atMs = Date.now();
  const posted = await send(deps, delivery, atMs);
  const { status, error } = posted;
  const { delaysMs } = deps.times;
  const result: DeliveryResult =
    posted === LOST
      ? { kind: 'lost' }
      : judgeDelivery(posted, { failures: delivery.failures, jitter: Math.random(), delaysMs });
  const attempt = { at: new Date(atMs).toISOString(), status, error, durationMs: Date.now() - atMs };
  await deps.store.dueDeliveries.record(delivery, attempt, result);
  return result;
}

const LOST: Posted = { status: null, retryAfterMs: null, error: 'What the message is about is not stored any more' };
const UNMADE: Posted = { status: null, retryAfterMs: null, error: 'The message could not be made' };

/** A message that can't be made counts as a failed attempt, so that it does not come first for ever. */
async function send(deps: AttemptDeps, delivery: ClaimedDelivery, atMs: number): Promise<Posted> {
  try {
    const body = await readBody(deps, delivery.eventId);
    return body === null ? LOST : await post(deps, delivery, { body, atMs });
  } catch (error) {
    deps.logger.warn({ error, delivery: delivery.id }, 'a message for a webhook could not be made');
    return UNMADE;
  }
}

/** The body is made once, so that each attempt and each webhook has the same bytes. */
async function readBody(deps: AttemptDeps, eventId: string): Promise<string | null> {
  const { dueDeliveries } = deps.store;
  const event = await dueDeliveries.eventOf(eventId);
  if (!event || event.body !== null) return event?.body ?? null;
  const made = await makeBody(deps, event);
  return made === null ? null : await dueDeliveries.keepBody(eventId, made);
}

async function post(
  { store, sender, times }: AttemptDeps,
  { id, webhook }: ClaimedDelivery,
  { body: told, atMs }: { readonly body: string; readonly atMs: number },
): Promise<Posted> {
  const body = webhook.format === 'slack' ? toSlackMessage(told, webhook.linkBase) : told;
  const secrets = await store.webhooks.secretsOf(webhook.id);
  const headers = signatureHeaders(secrets, { id, body, atMs });
  return await (await sender()).post({ url: webhook.url, headers, body, timeoutMs: times.answerMs });
}
