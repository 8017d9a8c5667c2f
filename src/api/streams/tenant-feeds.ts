import { setTimeout as sleep } from 'node:timers/promises';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Store } from '../../store/store.ts';
import type { EventPart, EventPlace } from '../../store/streams/tenant-events.ts';

/** Events of a tenant, with what is hidden of their runs; a run that is gone has no entry. */
export interface FedPart extends EventPart {
  readonly redactionOf: ReadonlyMap<string, Redaction>;
  /** The changes that were heard of before the part was read. */
  readonly heard: number;
}

/** What all streams of a tenant share: each part is read once. */
export interface TenantFeed {
  /** The place where the other streams are, or the present one. */
  begin(): Promise<EventPlace>;
  /** @returns `null` for a place from too long ago */
  after(place: EventPlace): Promise<FedPart | null>;
  /** True if the tenant's runs may have changed since a part was read. */
  isBehind(part: FedPart): boolean;
  /** Called when a stream has ended. */
  leave(): void;
}

/** Feeds of the tenants that have streams in this process. */
export interface TenantFeeds {
  join(tenantId: string): TenantFeed;
}

type FeedSources = Pick<Store, 'tenantEvents' | 'runs' | 'changes'>;

/** Changes within this time are read together. */
const GATHER_MS = 25;
/** So many parts are kept for streams that are a little behind. */
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
  const parts = new Map<string, Promise<FedPart | null>>();
  let heard = 0;
  let present: Promise<EventPlace> | null = null;
  const unsubscribe = changes.subscribeTenant(tenantId, () => (heard += 1));
  const read = async (place: EventPlace): Promise<FedPart | null> => {
    if (!place.amid) await sleep(GATHER_MS);
    const heardBefore = heard;
    const part = await tenantEvents.after(tenantId, place);
    if (!part) return null;
    if (!part.hasMore) present = Promise.resolve(part.place);
    const runIds = [...new Set(part.events.map(({ runId }) => runId))];
    return { ...part, redactionOf: await runs.hiddenOf(runIds), heard: heardBefore };
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
    async after(place) {
      const key = JSON.stringify(place);
      const reading = parts.get(key) ?? read(place);
      parts.set(key, reading);
      for (const oldest of [...parts.keys()].slice(0, -KEPT_PARTS)) parts.delete(oldest);
      return await reading.catch((error: unknown) => {
        parts.delete(key);
        throw error;
      });
    },
    isBehind: (part) => heard > part.heard,
    leave: unsubscribe,
  };
}
