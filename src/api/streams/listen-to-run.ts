import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import type { Changes } from '../../store/changes/changes.ts';
import type { Deltas } from '../../store/deltas/deltas.ts';
import type { RunLook, RunLooks } from '../../store/streams/run-looks.ts';
import { Mailbox } from './mailbox.ts';

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
  /** Changes may be missed, so that the ear looks now and then. */
  readonly lookEveryMs: number;
}

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
  { runId, lookEveryMs, mailbox, looks }: Hearing,
  after: number,
  unwanted: readonly AbortSignal[],
): AsyncGenerator<Heard, void> {
  const isUnwanted = (): boolean => unwanted.some(({ aborted }) => aborted);
  for (const signal of unwanted) signal.addEventListener('abort', mailbox.ring);
  try {
    let look: RunLook | null = null;
    for (let seq = after; ;) {
      const { deltas, hasChanged } = await mailbox.take(lookEveryMs);
      if (isUnwanted()) return;
      const isFresh: boolean = hasChanged || mayHideMore(look);
      if (isFresh) look = await looks.after(runId, seq);
      if (!look) return;
      const heard = toHeard(look, { deltas, isFresh, seq });
      seq = heard.events.at(-1)?.seq ?? seq;
      if (isFresh && look.hasMore) mailbox.ring();
      yield heard;
    }
  } finally {
    for (const signal of unwanted) signal.removeEventListener('abort', mailbox.ring);
  }
}

interface Since {
  readonly deltas: readonly ModelDelta[];
  /** True if the look is a new one. */
  readonly isFresh: boolean;
  readonly seq: number;
}

function toHeard(look: RunLook, { deltas, isFresh, seq }: Since): Heard {
  if (!isFresh) return { deltas, events: [], look, isUpToDate: false };
  const { events, lastSeq } = look;
  return { deltas, events, look, isUpToDate: lastSeq <= (events.at(-1)?.seq ?? seq) };
}

/** What is hidden of a run of a thread is only found once the run is dispatched, so before its first delta. */
function mayHideMore(look: RunLook | null): boolean {
  return look === null || look.lastSeq === 0;
}
