import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import type { Changes } from '../../store/changes.ts';
import type { Deltas } from '../../store/deltas.ts';
import type { HistoryPart, HistoryParts } from '../../store/history-parts.ts';
import { hideDelta } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { hiddenFrom, shownEvent } from '../redaction.ts';
import { writeAll, toFrame } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';

/** A part of a run's stream: what is new since the previous part. */
export interface Heard {
  /** Model deltas, which precede the events. */
  readonly deltas: readonly ModelDelta[];
  readonly events: readonly RunEvent[];
  /** The latest look at the run. Its redaction applies to all events and deltas of this part. */
  readonly look: HistoryPart;
  /** True when the part contains the last event that is stored. */
  readonly isUpToDate: boolean;
}

/** A subscription to a run that misses nothing after it was opened. */
export interface RunEar {
  /**
   * Yields the events after a `seq`, each once and in order. It ends when a signal is aborted or the run is deleted.
   */
  hear(after: number, unwanted: readonly AbortSignal[]): AsyncGenerator<Heard, void>;
  readonly close: () => void;
}

interface Sources {
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly deltas: Pick<Deltas, 'listen'>;
  readonly looks: HistoryParts;
}

interface Listened {
  readonly runId: string;
  /** `tokens` includes model deltas. */
  readonly detail: 'events' | 'tokens';
}

/** Each change is normally notified; reading at this interval finds changes whose notification was lost. */
const LOOK_EVERY_MS = 60_000;

/** Subscribes to a run, which need not exist yet. */
export async function listenToRun({ changes, deltas, looks }: Sources, listened: Listened): Promise<RunEar> {
  const { runId, detail } = listened;
  const mailbox = new Mailbox();
  const unsubscribe = changes.subscribe(runId, mailbox.ring);
  const stopDeltas = detail === 'tokens' ? await deltas.listen(runId, mailbox.put) : () => undefined;
  return {
    hear: (after, unwanted) => hear({ ...listened, mailbox, looks }, after, unwanted),
    close() {
      unsubscribe();
      stopDeltas();
    },
  };
}

interface Hearing extends Listened {
  readonly mailbox: Mailbox;
  readonly looks: HistoryParts;
}

async function* hear(
  { runId, mailbox, looks }: Hearing,
  after: number,
  unwanted: readonly AbortSignal[],
): AsyncGenerator<Heard, void> {
  const lookFor = createLooker(looks, runId, after);
  for (const signal of unwanted) signal.addEventListener('abort', mailbox.ring);
  try {
    for (;;) {
      const received = await mailbox.take(LOOK_EVERY_MS);
      if (unwanted.some(({ aborted }) => aborted)) return;
      const part = await lookFor(received);
      if (!part) return;
      if (part.events.length > 0 && part.look.hasMore) mailbox.ring();
      yield part;
    }
  } finally {
    for (const signal of unwanted) signal.removeEventListener('abort', mailbox.ring);
  }
}

/** Creates a function that reads the run when new events are possible. It returns `null` for a deleted run. */
function createLooker(looks: HistoryParts, runId: string, after: number): (received: Mail) => Promise<Heard | null> {
  let look: HistoryPart | null = null;
  let seq = after;
  return async ({ deltas, hasChanged }) => {
    const isFresh = hasChanged || mayHideMore(look);
    if (isFresh) look = await looks.after(runId, seq);
    if (!look) return null;
    if (!isFresh) return { deltas, events: [], look, isUpToDate: false };
    const { events, lastSeq } = look;
    seq = events.at(-1)?.seq ?? seq;
    return { deltas, events, look, isUpToDate: lastSeq <= seq };
  };
}

/**
 * The redaction that a run inherits from its thread is known only once the run is dispatched, which precedes its first
 * delta.
 */
function mayHideMore(look: HistoryPart | null): boolean {
  return look === null || look.lastSeq === 0;
}

/** What was received since the last read. */
export interface Mail {
  readonly deltas: readonly ModelDelta[];
  /** True when the run may have new events. */
  readonly hasChanged: boolean;
}

/** Queues deltas and change notifications for a reader that is slower than the run. */
export class Mailbox {
  #deltas: ModelDelta[] = [];
  #hasChanged = true;
  #wake = (): void => undefined;

  /** Queues a delta. It is dropped when the queue is full, because the recorded event will contain the whole text. */
  readonly put = (delta: ModelDelta): void => {
    if (this.#deltas.length < MAX_DELTAS) this.#deltas.push(delta);
    this.#wake();
  };

  readonly ring = (): void => {
    this.#hasChanged = true;
    this.#wake();
  };

  /**
   * Waits until something is received or the time is up. After the timeout, the run must be read, as notifications may
   * be lost.
   */
  async take(withinMs: number): Promise<Mail> {
    if (this.#deltas.length === 0 && !this.#hasChanged)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(this.ring, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = () => undefined;
    const received = { deltas: this.#deltas, hasChanged: this.#hasChanged };
    this.#deltas = [];
    this.#hasChanged = false;
    return received;
  }
}

const MAX_DELTAS = 2_000;

type StreamSources = Parameters<typeof listenToRun>[0] & { readonly fingerprints: Fingerprints };

/** The part of a run's history that a stream sends. */
interface AskedEvents {
  readonly runId: string;
  /** The `seq` of the last event that the reader has. */
  readonly after: number;
  /** `tokens` includes model deltas. */
  readonly detail: 'events' | 'tokens';
  readonly caller: Caller;
}

/**
 * Streams the events of a run as they are stored, from its history on: each once, in order, redacted for the caller. It
 * subscribes before it reads, so that no event is missed. It returns after the last event of an ended run; if the run
 * was reopened by then, it continues. Model deltas are sent without an id, so a reader that reconnects does not receive
 * those that it has missed.
 */
export async function streamRun(sources: StreamSources, asked: AskedEvents, body: SseBody): Promise<void> {
  const { runId, after, detail, caller } = asked;
  const subscription = await listenToRun(sources, { runId, detail });
  try {
    for await (const { deltas, events, look, isUpToDate } of subscription.hear(after, [body.over])) {
      const hidden = hiddenFrom(caller, look);
      await writeAll(body, shownDeltas(deltas, hidden), toDeltaFrame);
      await writeAll(body, events, frameFor(hidden, sources.fingerprints));
      if (isUpToDate && isEnded(look.status)) return;
    }
  } finally {
    subscription.close();
  }
}

/** Leaves out the deltas that are hidden from the reader. */
function shownDeltas(deltas: readonly ModelDelta[], hidden: Redaction): readonly ModelDelta[] {
  return deltas.filter((delta) => hideDelta(delta, hidden) === delta);
}

function toDeltaFrame(delta: ModelDelta): string {
  return toFrame({ type: 'model.delta', data: delta });
}

function frameFor(hidden: Redaction, fingerprints: Fingerprints): (event: RunEvent) => string {
  return (event) => toFrame({ id: String(event.seq), type: event.type, data: shownEvent(event, hidden, fingerprints) });
}
