import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { hideDelta } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Changes } from '../../store/changes/changes.ts';
import type { Deltas } from '../../store/deltas/deltas.ts';
import type { RunLook, RunLooks } from '../../store/streams/run-looks.ts';
import type { Caller } from '../http/authenticate.ts';
import { Mailbox } from '../http/mailbox.ts';
import type { Seals } from '../http/seals.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownEvent } from '../redaction/shown-approval.ts';
import { writeAll } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';
import { toFrame } from './sse-frame.ts';

interface Sources {
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly deltas: Pick<Deltas, 'listen'>;
  readonly looks: RunLooks;
  readonly seals: Seals;
}

/** The part of a run's history that a stream gives. */
interface AskedEvents {
  readonly runId: string;
  /** The number of the last event that the reader knows. */
  readonly after: number;
  /** `tokens`: with what models say while they say it. */
  readonly detail: 'events' | 'tokens';
  readonly caller: Caller;
}

/** The stream is told of changes, also of those that it may have missed; this is for the case that it is not. */
const LOOK_EVERY_MS = 60_000;

/**
 * Writes the events of a run as they are stored, from history on: each once, in order, as the caller may see them. It
 * listens before it reads, so none is lost between. It returns after the last event of a run that has ended; a run that
 * was reopened by then goes on. Deltas of models come between, without an id: a reader that comes back does not get those
 * that it has missed.
 */
export async function streamRun(sources: Sources, asked: AskedEvents, body: SseBody): Promise<void> {
  const { changes, deltas } = sources;
  const mailbox = new Mailbox();
  const unsubscribe = changes.subscribe(asked.runId, mailbox.ring);
  body.over.addEventListener('abort', mailbox.ring);
  try {
    if (asked.detail === 'events') return await writeRun(mailbox, { ...sources, ...asked }, body);
    const stop = await deltas.listen(asked.runId, mailbox.put);
    return await writeRun(mailbox, { ...sources, ...asked }, body).finally(stop);
  } finally {
    unsubscribe();
  }
}

async function writeRun(
  mailbox: Mailbox,
  { looks, seals, runId, after, caller }: Sources & AskedEvents,
  body: SseBody,
): Promise<void> {
  let look: RunLook | null = null;
  for (let last = after; !body.over.aborted;) {
    const mail = await mailbox.take(LOOK_EVERY_MS);
    const isFresh: boolean = mail.hasChanged || mayHideMore(look);
    if (isFresh) look = await looks.after(runId, last);
    if (!look) return;
    await writeAll(body, shownDeltas(mail.deltas, hiddenFrom(caller, look)), toDeltaFrame);
    if (!isFresh) continue;
    await writeAll(body, look.events, frameFor(caller, look, seals));
    last = look.events.at(-1)?.seq ?? last;
    if (hasAll(look, last)) return;
    if (look.hasMore) mailbox.ring();
  }
}

function hasAll({ status, lastSeq }: RunLook, last: number): boolean {
  return isEnded(status) && lastSeq <= last;
}

/** What is hidden of a run of a thread is only found once the run is dispatched, so before its first delta. */
function mayHideMore(look: RunLook | null): boolean {
  return look === null || look.lastSeq === 0;
}

/** Leaves out what is hidden from the reader. */
function shownDeltas(deltas: readonly ModelDelta[], hidden: Redaction): readonly ModelDelta[] {
  return deltas.filter((delta) => hideDelta(delta, hidden) === delta);
}

function toDeltaFrame(delta: ModelDelta): string {
  return toFrame({ type: 'model.delta', data: delta });
}

function frameFor(caller: Caller, look: RunLook, seals: Seals): (event: RunEvent) => string {
  const hidden = hiddenFrom(caller, look);
  return (event) => toFrame({ id: String(event.seq), type: event.type, data: shownEvent(event, hidden, seals) });
}
