import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import type { Changes } from '../../store/changes/changes.ts';
import type { Deltas } from '../../store/deltas/deltas.ts';
import type { RunLook, RunLooks } from '../../store/streams/run-looks.ts';
import { Mailbox } from './mailbox.ts';
import type { Mail } from './mailbox.ts';

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
