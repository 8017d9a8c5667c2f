import { setTimeout as sleep, setImmediate } from 'node:timers/promises';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { Store } from '../../store/store.ts';
import type { EventPart, FeedPosition, TenantEvent } from '../../store/tenant-events.ts';
import { ApiError } from '../http/errors.ts';
import type { Cursors } from '../http/paging.ts';
import type { HistoryPart, HistoryParts } from '../../store/history-parts.ts';
import type { Changes } from '../../store/changes.ts';
import type { Caller } from '../http/authenticate.ts';
import { createBell } from '../http/bell.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { hiddenFrom, shownEvent } from '../redaction.ts';
import { writeAll, toFrame, toIdFrame } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';

/** Events of a tenant, with what is hidden of their runs; a deleted run has no entry. */
export interface FedPart extends EventPart {
  readonly redactionOf: ReadonlyMap<string, Redaction>;
  /** The number of change notifications received before the part was read. */
  readonly heard: number;
}

/** The event source that all streams of a tenant share, so that each part is read once. */
export interface TenantFeed {
  /** Returns the position of the other streams, or the current end. */
  begin(): Promise<FeedPosition>;
  /** @returns `null` for a position that is too old */
  after(place: FeedPosition): Promise<FedPart | null>;
  /** Returns true if the tenant's runs may have changed since a part was read. */
  isBehind(part: FedPart): boolean;
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
  const parts = new Map<string, Promise<FedPart | null>>();
  let heard = 0;
  let present: Promise<FeedPosition> | null = null;
  const unsubscribe = changes.subscribeTenant(tenantId, () => (heard += 1));
  const read = async (place: FeedPosition): Promise<FedPart | null> => {
    if (!place.amid) await sleep(GATHER_MS);
    const heardBefore = heard;
    const part = await tenantEvents.after(tenantId, place);
    if (!part) return null;
    if (!part.hasMore) present = Promise.resolve(part.position);
    const runIds = [...new Set(part.events.map(({ runId }) => runId))];
    return { ...part, redactionOf: await runs.redactionOfRuns(runIds), heard: heardBefore };
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

/**
 * Reads the `Last-Event-ID` of a run's stream.
 * @param lastSeq the `seq` of the last stored event
 * @returns the `seq` of an event; `null` without a header
 * @throws ApiError `INVALID_EVENT_ID` when it is not the number of an event of the run
 */
export function readLastEventId(header: string | undefined, lastSeq: number): number | null {
  if (header === undefined) return null;
  if (!/^(?:0|[1-9]\d{0,9})$/.test(header))
    throw new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is the seq of an event, in digits only');
  return requireWritten(Number(header), lastSeq);
}

/** @throws ApiError `INVALID_EVENT_ID` when the event does not exist yet */
export function requireWritten(seq: number, lastSeq: number): number {
  if (seq > lastSeq)
    throw new ApiError('INVALID_EVENT_ID', `The run has no event ${seq} yet; its last one is ${lastSeq}`);
  return seq;
}

/** The event ids of a tenant's stream: signed positions that are valid for this tenant only. */
export interface PlaceIds {
  write(tenantId: string, place: FeedPosition): string;
  /** @throws ApiError `INVALID_EVENT_ID` */
  read(tenantId: string, id: string): FeedPosition;
}

export function createPlaceIds(cursors: Cursors): PlaceIds {
  const stream = (tenantId: string) => ['tenant events', tenantId];
  return {
    write: (tenantId, { known, at, amid }) =>
      cursors.write(
        stream(tenantId),
        amid ? [known, at, amid.upTo, amid.last.xid, amid.last.runId, amid.last.seq] : [known, at],
      ),
    read(tenantId, id) {
      try {
        return toPlace(cursors.read(stream(tenantId), id));
      } catch (cause) {
        throw new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is no id of this stream', { cause });
      }
    },
  };
}

/** @throws TypeError for a value that is no position */
function toPlace(value: unknown): FeedPosition {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const [known, at, upTo, xid, runId, seq] = parts;
  if (typeof known !== 'string' || typeof at !== 'string') throw new TypeError('A signed id holds no place');
  if (typeof upTo !== 'string' || typeof xid !== 'string' || typeof runId !== 'string' || typeof seq !== 'number')
    return { known, at };
  return { known, at, amid: { upTo, last: { xid, runId, seq } } };
}

/**
 * Shares reads of runs between streams: streams that request the same part before its read has begun share one read. A
 * read that has begun is not shared any more, because it may miss newer events.
 */
export function shareLooks(looks: HistoryParts): HistoryParts {
  const next = new Map<string, Promise<HistoryPart | null>>();
  return {
    async after(runId, seq) {
      const key = `${seq} ${runId}`;
      const begun =
        next.get(key) ??
        setImmediate().then(() => {
          next.delete(key);
          return looks.after(runId, seq);
        });
      next.set(key, begun);
      return await begun;
    },
  };
}

/** Selects events by graph and type. */
interface EventFilter {
  readonly graph?: string | undefined;
  readonly types?: readonly string[] | undefined;
}

/** The events of a tenant that a stream sends. */
interface AskedEvents {
  readonly caller: Caller;
  readonly filter: EventFilter;
  readonly feed: TenantFeed;
  /** Called when the position of the stream advances, so that the heartbeat can send the new id. */
  readonly moved: (id: string) => void;
  readonly from: FeedPosition;
}

interface Sources {
  readonly changes: Pick<Changes, 'subscribeTenant'>;
  readonly ids: PlaceIds;
  readonly fingerprints: Fingerprints;
}

/** Changes are notified; reading at this interval also keeps the position of a reader of idle runs recent. */
const LOOK_EVERY_MS = 60_000;

/**
 * Streams the events of all runs of the caller's tenant as they are stored. It first sends its start position, so that
 * a reader that is disconnected before the first event resumes there. A position that was valid when the stream began
 * stays valid while it is open.
 * @throws ApiError `INVALID_EVENT_ID` when a slow reader has fallen behind by an hour
 */
export async function streamTenant(
  { changes, ids, fingerprints }: Sources,
  asked: AskedEvents,
  body: SseBody,
): Promise<void> {
  const { caller, feed, from, moved } = asked;
  const bell = createBell();
  const unsubscribe = changes.subscribeTenant(caller.tenantId, bell.ring);
  body.over.addEventListener('abort', bell.ring);
  try {
    await body.write(toIdFrame(ids.write(caller.tenantId, from)));
    for (let place = from; !body.over.aborted;) {
      const part = await feed.after(place);
      if (!part) throw tooOld();
      const wanted = part.events.filter((event) => isWanted(event, asked.filter) && part.redactionOf.has(event.runId));
      await writeAll(body, wanted, (event) => frameOf(event, { caller, ids, fingerprints, part, known: place }));
      place = part.position;
      moved(toIdFrame(ids.write(caller.tenantId, place)));
      if (!part.hasMore && !feed.isBehind(part)) await bell.rung(LOOK_EVERY_MS);
    }
  } finally {
    unsubscribe();
  }
}

function isWanted({ graph, event }: TenantEvent, filter: EventFilter): boolean {
  return (filter.graph ?? graph) === graph && (filter.types?.includes(event.type) ?? true);
}

interface Shown extends Pick<Sources, 'ids' | 'fingerprints'>, Pick<AskedEvents, 'caller'> {
  readonly part: FedPart;
  readonly known: FeedPosition;
}

function frameOf({ xid, runId, seq, event }: TenantEvent, { caller, ids, fingerprints, part, known }: Shown): string {
  const redaction = part.redactionOf.get(runId);
  if (!redaction) throw new TypeError(`It is not known what is hidden of run ${runId}`);
  const shown = shownEvent(event, hiddenFrom(caller, { redaction }), fingerprints);
  const place = { known: known.known, at: known.at, amid: { upTo: part.upTo, last: { xid, runId, seq } } };
  return toFrame({ id: ids.write(caller.tenantId, place), type: event.type, data: { runId, ...shown } });
}

/** The error for a reader whose position is no longer kept. */
export function tooOld(): ApiError {
  return new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is older than an hour; begin anew without one');
}
