import type { Changes } from '../../store/changes/changes.ts';
import type { EventPlace, TenantEvent } from '../../store/streams/tenant-events.ts';
import type { Caller } from '../http/authenticate.ts';
import { createBell } from '../http/bell.ts';
import { ApiError } from '../http/errors.ts';
import type { Seals } from '../http/seals.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownEvent } from '../redaction/shown-approval.ts';
import type { PlaceIds } from './place-id.ts';
import { writeAll } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';
import { toFrame, toIdFrame } from './sse-frame.ts';
import type { FedPart, TenantFeed } from './tenant-feeds.ts';

/** Only events of this graph, and of these types. */
interface EventFilter {
  readonly graph?: string | undefined;
  readonly types?: readonly string[] | undefined;
}

/** The events of a tenant that a stream gives. */
interface AskedEvents {
  readonly caller: Caller;
  readonly filter: EventFilter;
  readonly feed: TenantFeed;
  /** As `streamTenant`'s place moves, the heartbeat tells readers of it. */
  readonly moved: (id: string) => void;
  readonly from: EventPlace;
}

interface Sources {
  readonly changes: Pick<Changes, 'subscribeTenant'>;
  readonly ids: PlaceIds;
  readonly seals: Seals;
}

/** The stream is told of changes; this keeps the place of a reader of idle runs young, too. */
const LOOK_EVERY_MS = 60_000;

/**
 * Writes the events of all runs of the caller's tenant as they are stored, after the place where it begins: a reader whose
 * stream breaks off before the first event comes back there. A place that was good when the stream began is good while it
 * goes on. @throws ApiError `INVALID_EVENT_ID` when a slow reader has fallen behind by an hour
 */
export async function streamTenant({ changes, ids, seals }: Sources, asked: AskedEvents, body: SseBody): Promise<void> {
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
      await writeAll(body, wanted, (event) => frameOf(event, { caller, ids, seals, part, known: place }));
      place = part.place;
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

interface Shown extends Pick<Sources, 'ids' | 'seals'>, Pick<AskedEvents, 'caller'> {
  readonly part: FedPart;
  readonly known: EventPlace;
}

function frameOf({ xid, runId, seq, event }: TenantEvent, { caller, ids, seals, part, known }: Shown): string {
  const redaction = part.redactionOf.get(runId);
  if (!redaction) throw new TypeError(`It is not known what is hidden of run ${runId}`);
  const shown = shownEvent(event, hiddenFrom(caller, { redaction }), seals);
  const place = { known: known.known, at: known.at, amid: { upTo: part.upTo, last: { xid, runId, seq } } };
  return toFrame({ id: ids.write(caller.tenantId, place), type: event.type, data: { runId, ...shown } });
}

/** The answer to a reader that was away for longer than places are kept. */
export function tooOld(): ApiError {
  return new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is older than an hour; begin anew without one');
}
