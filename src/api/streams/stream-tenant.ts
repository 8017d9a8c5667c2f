import type { Changes } from '../../store/changes.ts';
import type { FeedPosition, TenantEvent } from '../../store/tenant-events.ts';
import type { Caller } from '../http/authenticate.ts';
import { createBell } from '../http/bell.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { hiddenFrom, redactEvent } from '../redaction.ts';
import { eventIdTooOld } from './event-ids.ts';
import type { EventIds } from './event-ids.ts';
import { writeFrames, toSseFrame, toIdFrame } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';
import type { FeedPart, TenantFeed } from './tenant-feeds.ts';

/** Selects events by graph and type. */
interface EventFilter {
  readonly graph?: string | undefined;
  readonly types?: readonly string[] | undefined;
}

/** The events of a tenant that a stream sends. */
interface StreamedTenant {
  readonly caller: Caller;
  readonly filter: EventFilter;
  readonly feed: TenantFeed;
  /** Called when the position of the stream advances, so that the heartbeat can send the new id. */
  readonly moved: (id: string) => void;
  readonly from: FeedPosition;
}

interface TenantStreamSources {
  readonly changes: Pick<Changes, 'subscribeTenant'>;
  readonly ids: EventIds;
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
  { changes, ids, fingerprints }: TenantStreamSources,
  streamed: StreamedTenant,
  body: SseBody,
): Promise<void> {
  const { caller, feed, from, moved } = streamed;
  const bell = createBell();
  const unsubscribe = changes.subscribeTenant(caller.tenantId, bell.ring);
  body.over.addEventListener('abort', bell.ring);
  try {
    await body.write(toIdFrame(ids.write(caller.tenantId, from)));
    for (let position = from; !body.over.aborted;) {
      const part = await feed.after(position);
      if (!part) throw eventIdTooOld();
      const wanted = part.events.filter(
        (event) => matchesFilter(event, streamed.filter) && part.redactionOf.has(event.runId),
      );
      await writeFrames(body, wanted, (event) =>
        toEventFrame(event, { caller, ids, fingerprints, part, known: position }),
      );
      position = part.position;
      moved(toIdFrame(ids.write(caller.tenantId, position)));
      if (!part.hasMore && !feed.isBehind(part)) await bell.rung(LOOK_EVERY_MS);
    }
  } finally {
    unsubscribe();
  }
}

function matchesFilter({ graph, event }: TenantEvent, filter: EventFilter): boolean {
  return (filter.graph ?? graph) === graph && (filter.types?.includes(event.type) ?? true);
}

interface FrameContext extends Pick<TenantStreamSources, 'ids' | 'fingerprints'>, Pick<StreamedTenant, 'caller'> {
  readonly part: FeedPart;
  readonly known: FeedPosition;
}

function toEventFrame(
  { xid, runId, seq, event }: TenantEvent,
  { caller, ids, fingerprints, part, known }: FrameContext,
): string {
  const redaction = part.redactionOf.get(runId);
  if (!redaction) throw new TypeError(`It is not known what is hidden of run ${runId}`);
  const visible = redactEvent(event, hiddenFrom(caller, { redaction }), fingerprints);
  const position = { known: known.known, at: known.at, amid: { upTo: part.upTo, last: { xid, runId, seq } } };
  return toSseFrame({ id: ids.write(caller.tenantId, position), type: event.type, data: { runId, ...visible } });
}
