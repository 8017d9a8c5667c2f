import type { RunEvent } from '../../graph/journal/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Changes } from '../../store/changes/changes.ts';
import type { RunLook, RunLooks } from '../../store/streams/run-looks.ts';
import type { Caller } from '../http/authenticate.ts';
import { createBell } from '../http/bell.ts';
import type { Seals } from '../http/seals.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownEvent } from '../redaction/shown-approval.ts';
import { writeAll } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';
import { toFrame } from './sse-frame.ts';

interface Sources {
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly looks: RunLooks;
  readonly seals: Seals;
}

/** The part of a run's history that a stream gives. */
interface AskedEvents {
  readonly runId: string;
  /** The number of the last event that the reader knows. */
  readonly after: number;
  readonly caller: Caller;
}

/** The stream is told of changes, also of those that it may have missed; this is for the case that it is not. */
const LOOK_EVERY_MS = 60_000;

/**
 * Writes the events of a run as they are stored, from history on: each once, in order, as the caller may see them. It
 * listens before it reads, so none is lost between. It returns after the last event of a run that has ended; a run that
 * was reopened by then goes on.
 */
export async function streamRun(
  { changes, looks, seals }: Sources,
  { runId, after, caller }: AskedEvents,
  body: SseBody,
): Promise<void> {
  const bell = createBell();
  const unsubscribe = changes.subscribe(runId, bell.ring);
  body.over.addEventListener('abort', bell.ring);
  try {
    for (let last = after; !body.over.aborted;) {
      const look = await looks.after(runId, last);
      if (!look) return;
      await writeAll(body, look.events, frameFor(caller, look, seals));
      last = look.events.at(-1)?.seq ?? last;
      if (isEnded(look.status) && look.lastSeq <= last) return;
      if (!look.hasMore) await bell.rung(LOOK_EVERY_MS);
    }
  } finally {
    unsubscribe();
  }
}

function frameFor(caller: Caller, look: RunLook, seals: Seals): (event: RunEvent) => string {
  const hidden = hiddenFrom(caller, look);
  return (event) => toFrame({ id: String(event.seq), type: event.type, data: shownEvent(event, hidden, seals) });
}
