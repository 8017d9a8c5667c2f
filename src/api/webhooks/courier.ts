import { ulid } from 'ulid';
import type { ClaimedDelivery } from '../../store/webhooks/due-deliveries.ts';
import type { ApiDeps, CourierTimes } from '../deps.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { RETRY_DELAYS_MS } from './judge-delivery.ts';
import { openSender } from './open-sender.ts';

type CourierDeps = Pick<ApiDeps, 'store' | 'seals' | 'settings' | 'logger'>;

/** Sends what webhooks are told. Several processes may do so. A slow receiver delays only itself. */
export interface Courier {
  /** Begins to send what is due, and does not wait for receivers. */
  round(stopping: AbortSignal): Promise<void>;
  /** Resolves when nothing is on its way. */
  settled(): Promise<void>;
}

/** The webhooks that a process sends to at a time. */
const MAX_OPEN = 256;
/** The same, of a tenant. */
const MAX_OPEN_OF_TENANT = 8;
const WEBHOOKS_OF_CLAIM = 64;
const DELIVERIES_OF_CLAIM = 20;

const TIMES: CourierTimes = { answerMs: 20_000, leaseMs: 60_000, delaysMs: RETRY_DELAYS_MS };

/** A webhook that the process sends to. */
interface OpenWebhook {
  readonly tenantId: string;
  readonly work: Promise<void>;
}

export function createCourier(deps: CourierDeps, given: Partial<CourierTimes> = {}): Courier {
  const times = { ...TIMES, ...given };
  const attempting = { ...deps, times, sender: openSender(deps.settings.webhooks.allow) };
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
   * Takes deliveries from a list and sends them. A failure puts off the others, which would most likely fail as well; so
   * does the end of half the lease.
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

/** Claims of webhooks in turn: each one begins behind the last webhook of the one before. */
function createClaims({ store }: CourierDeps, { leaseMs }: CourierTimes): ClaimNext {
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
