import { setTimeout as sleep } from 'node:timers/promises';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Store } from '../../store/store.ts';
import type { EventPart, FeedPosition } from '../../store/tenant-events.ts';

/** Events of a tenant, with the redaction of their runs; a deleted run has no entry. */
export interface FeedPart extends EventPart {
  readonly redactionOf: ReadonlyMap<string, Redaction>;
  /** The notification count when this part was read; `isBehind` compares it with the current count. */
  readonly notifications: number;
}

/** The event source that all streams of a tenant share, so that each part is read once. */
export interface TenantFeed {
  /** Returns the position of the other streams, or the current end. */
  begin(): Promise<FeedPosition>;
  /** @returns `null` for a position that is too old */
  after(position: FeedPosition): Promise<FeedPart | null>;
  /** Returns true if the tenant's runs may have changed since a part was read. */
  isBehind(part: FeedPart): boolean;
  /** Must be called when a stream has ended. */
  leave(): void;
}

/** The feeds of all tenants with open streams in this process. */
export interface TenantFeeds {
  join(tenantId: string): TenantFeed;
}

type FeedSources = Pick<Store, 'tenantEvents' | 'runs' | 'changes'>;

/** Changes within this time, in milliseconds, are read together. */
const GATHER_MS = 25;
/** The number of recent parts that are kept for streams that lag slightly. */
const KEPT_PARTS = 8;

export function createTenantFeeds(store: FeedSources): TenantFeeds {
  const feeds = new Map<string, { readonly feed: TenantFeed; streams: number }>();
  return {
    join(tenantId) {
      const shared = feeds.get(tenantId) ?? { feed: openFeed(store, tenantId), streams: 0 };
      feeds.set(tenantId, shared);
      shared.streams += 1;
      return {
        ...shared.feed,
        leave() {
          shared.streams -= 1;
          if (shared.streams > 0) return;
          feeds.delete(tenantId);
          shared.feed.leave();
        },
      };
    },
  };
}

function openFeed({ tenantEvents, runs, changes }: FeedSources, tenantId: string): TenantFeed {
  const parts = new Map<string, Promise<FeedPart | null>>();
  let notifications = 0;
  let present: Promise<FeedPosition> | null = null;
  const unsubscribe = changes.subscribeTenant(tenantId, () => (notifications += 1));
  const read = async (position: FeedPosition): Promise<FeedPart | null> => {
    if (!position.amid) await sleep(GATHER_MS);
    const notifiedBefore = notifications;
    const part = await tenantEvents.after(tenantId, position);
    if (!part) return null;
    if (!part.hasMore) present = Promise.resolve(part.position);
    const runIds = [...new Set(part.events.map(({ runId }) => runId))];
    return { ...part, redactionOf: await runs.redactionOfRuns(runIds), notifications: notifiedBefore };
  };
  return {
    async begin() {
      present ??= tenantEvents.now();
      const asked = present;
      return await asked.catch((error: unknown) => {
        if (present === asked) present = null;
        throw error;
      });
    },
    async after(position) {
      const key = JSON.stringify(position);
      const reading = parts.get(key) ?? read(position);
      parts.set(key, reading);
      for (const oldest of [...parts.keys()].slice(0, -KEPT_PARTS)) parts.delete(oldest);
      return await reading.catch((error: unknown) => {
        parts.delete(key);
        throw error;
      });
    },
    isBehind: (part) => notifications > part.notifications,
    leave: unsubscribe,
  };
}
