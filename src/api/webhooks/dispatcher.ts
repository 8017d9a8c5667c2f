import { ulid } from 'ulid';
import type { ClaimedDelivery, DeliveryResult } from '../../store/webhooks/due-deliveries.ts';
import type { ApiDeps, DispatcherTimes } from '../deps.ts';
import { RETRY_DELAYS_MS, judgeDelivery } from './judge-delivery.ts';
import { openWebhookSender } from './open-sender.ts';
import { signatureHeaders } from './standard-webhooks.ts';
import type { PostResult, WebhookSender } from './sender.ts';
import { buildEventBody } from './event-body.ts';
import { WEBHOOK_FORMATS } from './formats.ts';

type DispatcherDeps = Pick<ApiDeps, 'store' | 'fingerprints' | 'settings' | 'logger'>;

/**
 * Sends due events to webhooks. Several processes may do so at once. A slow receiver delays only its own deliveries.
 */
export interface Dispatcher {
  /** Claims due deliveries and begins to send them. It resolves without waiting for the receivers. */
  round(stopping: AbortSignal): Promise<void>;
  /** Resolves when no delivery is in progress. */
  settled(): Promise<void>;
}

/** The most webhooks that a process sends to at a time. */
const MAX_OPEN = 256;
/** The most webhooks of one tenant that a process sends to at a time. */
const MAX_OPEN_OF_TENANT = 8;
const WEBHOOKS_OF_CLAIM = 64;
const DELIVERIES_OF_CLAIM = 20;

const TIMES: DispatcherTimes = { answerMs: 20_000, leaseMs: 60_000, delaysMs: RETRY_DELAYS_MS };

/** A webhook with deliveries in progress. */
interface OpenWebhook {
  readonly tenantId: string;
  readonly work: Promise<void>;
}

export function createDispatcher(deps: DispatcherDeps, given: Partial<DispatcherTimes> = {}): Dispatcher {
  const times = { ...TIMES, ...given };
  const attempting = { ...deps, times, sender: openWebhookSender(deps.settings.webhooks.allow) };
  const open = new Map<string, OpenWebhook>();
  const claimNext = createClaims(deps, times);

  async function deliver(deliveries: readonly ClaimedDelivery[], stopping: AbortSignal): Promise<void> {
    const webhook = deliveries[0]?.webhook.id;
    const left = [...deliveries];
    try {
      await sendUntilFailure(left, stopping);
    } catch (error) {
      deps.logger.warn({ error, webhook }, 'a delivery could not be recorded; it will be sent again');
    }
    try {
      if (left.length > 0) await deps.store.dueDeliveries.release(left);
    } catch (error) {
      deps.logger.warn({ error, webhook }, 'deliveries could not be released; they wait for the end of their lease');
    }
  }

  /**
   * Sends the deliveries of a list and removes them from it. It stops after a failure, because the others would most
   * likely fail as well, and after half the lease.
   */
  async function sendUntilFailure(left: ClaimedDelivery[], stopping: AbortSignal): Promise<void> {
    const until = Date.now() + times.leaseMs / 2;
    for (let next = left.shift(); next; next = left.shift()) {
      const { kind } = await attemptDelivery(attempting, next);
      if (kind !== 'delivered' || stopping.aborted || Date.now() >= until) break;
    }
  }

  return {
    async round(stopping) {
      const webhooks = Math.min(WEBHOOKS_OF_CLAIM, MAX_OPEN - open.size);
      if (webhooks <= 0 || stopping.aborted) return;
      const claimed = await claimNext(webhooks, open);
      const byWebhook = new Map(claimed.map(({ webhook }) => [webhook.id, webhook]));
      for (const { id, tenantId } of byWebhook.values()) {
        const deliveries = claimed.filter(({ webhook }) => webhook.id === id);
        const work = deliver(deliveries, stopping).finally(() => open.delete(id));
        open.set(id, { tenantId, work });
      }
    },
    settled: async () => void (await Promise.all([...open.values()].map(({ work }) => work))),
  };
}

type ClaimNext = (webhooks: number, open: ReadonlyMap<string, OpenWebhook>) => Promise<readonly ClaimedDelivery[]>;

/**
 * Creates a function that claims deliveries round-robin: each claim begins after the last webhook of the previous one.
 */
function createClaims({ store }: DispatcherDeps, { leaseMs }: DispatcherTimes): ClaimNext {
  let last = '';
  return async (webhooks, open) => {
    const busy = { webhooks: [...open.keys()], ofTenants: countByTenant(open.values()) };
    const claim = async (after: string): Promise<readonly ClaimedDelivery[]> =>
      await store.dueDeliveries.claim({
        claim: ulid(),
        after,
        webhooks,
        webhooksOfTenant: MAX_OPEN_OF_TENANT,
        deliveriesOfWebhook: DELIVERIES_OF_CLAIM,
        leaseMs,
        busy,
      });
    const behind = await claim(last);
    const claimed = behind.length === 0 && last !== '' ? await claim('') : behind;
    last = claimed.at(-1)?.webhook.id ?? '';
    return claimed;
  };
}

function countByTenant(open: Iterable<{ readonly tenantId: string }>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of open) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return counts;
}

export interface AttemptDeps extends Pick<ApiDeps, 'store' | 'fingerprints' | 'logger'> {
  readonly sender: () => Promise<WebhookSender>;
  readonly times: Pick<DispatcherTimes, 'answerMs' | 'delaysMs'>;
}

/** Sends a claimed delivery and records the result. */
async function attemptDelivery(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<DeliveryResult> {
  const atMs = Date.now();
  const posted = await buildAndPost(deps, delivery, atMs);
  const { status, error } = posted;
  const { delaysMs } = deps.times;
  const result: DeliveryResult =
    posted === LOST ? { kind: 'lost' } : judgeDelivery(posted, delivery.failures, delaysMs, Math.random());
  const attempt = { at: new Date(atMs).toISOString(), status, error, durationMs: Date.now() - atMs };
  await deps.store.dueDeliveries.record(delivery, attempt, result);
  return result;
}

const LOST: PostResult = {
  status: null,
  retryAfterMs: null,
  error: 'What the message is about is not stored any more',
};
const NOT_BUILT: PostResult = { status: null, retryAfterMs: null, error: 'The message could not be made' };

/** A message whose body can't be built counts as a failed attempt, so that it does not block later ones for ever. */
async function buildAndPost(deps: AttemptDeps, delivery: ClaimedDelivery, atMs: number): Promise<PostResult> {
  try {
    const body = await readMessageBody(deps, delivery.eventId);
    return body === null ? LOST : await signAndPost(deps, delivery, body, atMs);
  } catch (error) {
    deps.logger.warn({ error, delivery: delivery.id }, 'a message for a webhook could not be made');
    return NOT_BUILT;
  }
}

/** The body is built once and stored, so that all attempts and webhooks send the same bytes. */
async function readMessageBody(deps: AttemptDeps, eventId: string): Promise<string | null> {
  const { dueDeliveries } = deps.store;
  const event = await dueDeliveries.eventOf(eventId);
  if (!event || event.body !== null) return event?.body ?? null;
  const made = await buildEventBody(deps, event);
  return made === null ? null : await dueDeliveries.keepBody(eventId, made);
}

async function signAndPost(
  { store, sender, times }: AttemptDeps,
  { id, webhook }: ClaimedDelivery,
  stored: string,
  atMs: number,
): Promise<PostResult> {
  const body = WEBHOOK_FORMATS[webhook.format].toMessage(stored, webhook.linkBase);
  const secrets = await store.webhooks.secretsOf(webhook.id);
  const headers = signatureHeaders(secrets, id, body, atMs);
  return await (await sender()).post({ url: webhook.url, headers, body, timeoutMs: times.answerMs });
}
