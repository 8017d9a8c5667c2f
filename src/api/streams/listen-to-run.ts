import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import type { Changes } from '../../store/changes.ts';
import type { Deltas } from '../../store/deltas.ts';
import type { RunLook, RunLooks } from '../../store/run-looks.ts';
import { hideDelta } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Fingerprints } from '../http/fingerprints.ts';
import { hiddenFrom, shownEvent } from '../redaction.ts';
import { writeAll, toFrame } from './sse-body.ts';
import type { SseBody } from './sse-body.ts';

/** What has come of a run since its reader heard last. */
export interface Heard {
  /** What models say meanwhile; it comes before the events. */
  readonly deltas: readonly ModelDelta[];
  readonly events: readonly RunEvent[];
  /** The run as it was looked at last; what it hides holds for all that is heard with it. */
  readonly look: RunLook;
  /** True when all that is written of the run has been heard. */
  readonly isUpToDate: boolean;
}

/** An ear for a run, which misses nothing from its opening on. */
export interface RunEar {
  /** Hears the events after a number, each once, in order. It ends by a signal, or when the run is gone. */
  hear(after: number, unwanted: readonly AbortSignal[]): AsyncGenerator<Heard, void>;
  readonly close: () => void;
}

interface Sources {
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly deltas: Pick<Deltas, 'listen'>;
  readonly looks: RunLooks;
}

interface Listened {
  readonly runId: string;
  /** `tokens`: with what models say while they say it. */
  readonly detail: 'events' | 'tokens';
}

/** Normally the ear is told of each change; this look finds one that it was not told of. */
const LOOK_EVERY_MS = 60_000;

/** Opens an ear for a run, which need not exist yet. */
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
  readonly looks: RunLooks;
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
      const mail = await mailbox.take(LOOK_EVERY_MS);
      if (unwanted.some(({ aborted }) => aborted)) return;
      const heard = await lookFor(mail);
      if (!heard) return;
      if (heard.events.length > 0 && heard.look.hasMore) mailbox.ring();
      yield heard;
    }
  } finally {
    for (const signal of unwanted) signal.removeEventListener('abort', mailbox.ring);
  }
}

/** Creates a function that looks at a run where that is worth it. It returns `null` for a run that is gone. */
function createLooker(looks: RunLooks, runId: string, after: number): (mail: Mail) => Promise<Heard | null> {
  let look: RunLook | null = null;
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

/** What is hidden of a run of a thread is only found once the run is dispatched, so before its first delta. */
function mayHideMore(look: RunLook | null): boolean {
  return look === null || look.lastSeq === 0;
}

/** What has come for a reader since it looked last. */
export interface Mail {
  readonly deltas: readonly ModelDelta[];
  /** The run may have done something. */
  readonly hasChanged: boolean;
}

/** Keeps what comes for a reader that is slower than the run. */
export class Mailbox {
  #deltas: ModelDelta[] = [];
  #hasChanged = true;
  #wake = (): void => undefined;

  /** Takes a delta, unless too many wait: what is recorded in the end has their text. */
  readonly put = (delta: ModelDelta): void => {
    if (this.#deltas.length < MAX_DELTAS) this.#deltas.push(delta);
    this.#wake();
  };

  readonly ring = (): void => {
    this.#hasChanged = true;
    this.#wake();
  };

  /** Waits until something has come, or the time is up: then a look is due, as changes may be missed. */
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
    const mail = { deltas: this.#deltas, hasChanged: this.#hasChanged };
    this.#deltas = [];
    this.#hasChanged = false;
    return mail;
  }
}

const MAX_DELTAS = 2_000;

type StreamSources = Parameters<typeof listenToRun>[0] & { readonly fingerprints: Fingerprints };

/** The part of a run's history that a stream gives. */
interface AskedEvents {
  readonly runId: string;
  /** The number of the last event that the reader knows. */
  readonly after: number;
  /** `tokens`: with what models say while they say it. */
  readonly detail: 'events' | 'tokens';
  readonly caller: Caller;
}

/**
 * Writes the events of a run as they are stored, from history on: each once, in order, as the caller may see them. It
 * listens before it reads, so none is lost between. It returns after the last event of a run that has ended; a run that
 * was reopened by then goes on. Deltas of models come between, without an id: a reader that comes back does not get those
 * that it has missed.
 */
export async function streamRun(sources: StreamSources, asked: AskedEvents, body: SseBody): Promise<void> {
  const { runId, after, detail, caller } = asked;
  const ear = await listenToRun(sources, { runId, detail });
  try {
    for await (const { deltas, events, look, isUpToDate } of ear.hear(after, [body.over])) {
      const hidden = hiddenFrom(caller, look);
      await writeAll(body, shownDeltas(deltas, hidden), toDeltaFrame);
      await writeAll(body, events, frameFor(hidden, sources.fingerprints));
      if (isUpToDate && isEnded(look.status)) return;
    }
  } finally {
    ear.close();
  }
}

/** Leaves out what is hidden from the reader. */
function shownDeltas(deltas: readonly ModelDelta[], hidden: Redaction): readonly ModelDelta[] {
  return deltas.filter((delta) => hideDelta(delta, hidden) === delta);
}

function toDeltaFrame(delta: ModelDelta): string {
  return toFrame({ type: 'model.delta', data: delta });
}

function frameFor(hidden: Redaction, fingerprints: Fingerprints): (event: RunEvent) => string {
  return (event) => toFrame({ id: String(event.seq), type: event.type, data: shownEvent(event, hidden, fingerprints) });
}
