import type { ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import { toPosition } from '../../store/events.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { Mailbox } from '../http/mailbox.ts';

/** Something that is heard of a run. */
export type Heard =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'delta'; readonly delta: ModelDelta }
  /** The run has done nothing besides what has been heard. */
  | { readonly kind: 'rest'; readonly run: RunRecord };

/** An ear for a run, which misses nothing from its opening on. */
export interface RunEar {
  /** All events of the run from the first one on, and what its models say meanwhile. It ends by a signal, or with the run's row. */
  readonly hear: (unwanted: readonly AbortSignal[]) => AsyncGenerator<Heard, void>;
  readonly close: () => void;
}

/** Changes may be missed, so that who waits looks now and then. */
const LOOK_EVERY_MS = 5_000;
const PAGE = 100;

/** Opens an ear for a run, which need not exist yet. */
export async function listenToRun({ store }: Pick<ApiDeps, 'store'>, runId: string): Promise<RunEar> {
  const mailbox = new Mailbox();
  const unsubscribe = store.changes.subscribe(runId, mailbox.ring);
  const stopDeltas = await store.deltas.listen(runId, mailbox.put);
  return {
    hear: (unwanted) => hear({ store, runId, mailbox }, unwanted),
    close() {
      unsubscribe();
      stopDeltas();
    },
  };
}

interface Listening {
  readonly store: ApiDeps['store'];
  readonly runId: string;
  readonly mailbox: Mailbox;
}

async function* hear(listening: Listening, unwanted: readonly AbortSignal[]): AsyncGenerator<Heard, void> {
  const { mailbox } = listening;
  let seq = 0;
  for (const signal of unwanted) signal.addEventListener('abort', mailbox.ring);
  try {
    for (;;) {
      const { deltas, hasChanged } = await mailbox.take(LOOK_EVERY_MS);
      if (unwanted.some(({ aborted }) => aborted)) return;
      for (const delta of deltas) yield { kind: 'delta', delta };
      if (hasChanged) seq = yield* hearEvents(listening, seq);
    }
  } finally {
    for (const signal of unwanted) signal.removeEventListener('abort', mailbox.ring);
  }
}

/** Hears of all that the run has done since an event. @returns the last event */
async function* hearEvents({ store, runId, mailbox }: Listening, after: number): AsyncGenerator<Heard, number> {
  let seq = after;
  let isLast = false;
  while (!isLast) {
    const { items, next } = await store.journal.list(runId, { limit: PAGE, after: toPosition(seq) });
    for (const event of items) yield { kind: 'event', event };
    seq = items.at(-1)?.seq ?? seq;
    isLast = next === null;
  }
  const run = await store.runs.find(runId);
  // What has come meanwhile is worth another look, unless an event before it is missing still.
  if (run && run.lastSeq > seq && seq > after) mailbox.ring();
  if (run?.lastSeq === seq) yield { kind: 'rest', run };
  return seq;
}
