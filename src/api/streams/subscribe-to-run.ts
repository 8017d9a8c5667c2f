import { setImmediate } from 'node:timers/promises';
import { isProgress } from '../../graph/journal/index.ts';
import type { CallProgress, LiveUpdate, ModelDelta, RunEvent } from '../../graph/journal/index.ts';
import type { Changes } from '../../store/changes.ts';
import type { Deltas } from '../../store/deltas.ts';
import type { HistoryPart, HistoryParts } from '../../store/history-parts.ts';
import { createBell } from '../http/bell.ts';

/** The news of a run since the previous update. */
export interface RunUpdate {
  /** Model deltas, which precede the events. */
  readonly deltas: readonly ModelDelta[];
  /** The latest progress of each call that has reported any. */
  readonly progress: readonly CallProgress[];
  readonly events: readonly RunEvent[];
  /** The run as it was read last. Its redaction applies to all events and deltas of this update. */
  readonly run: HistoryPart;
  /** True when the update contains the last event that is stored. */
  readonly isUpToDate: boolean;
}

/** A subscription to a run that misses nothing after it was opened. */
export interface RunSubscription {
  /**
   * Yields the events after a `seq`, each once and in order. It ends when a signal is aborted or the run is deleted.
   */
  updates(after: number, unwanted: readonly AbortSignal[]): AsyncGenerator<RunUpdate, void>;
  readonly close: () => void;
}

/** The sources of updates. */
export interface UpdateSources {
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly deltas: Pick<Deltas, 'listen'>;
  readonly historyParts: HistoryParts;
}

/** The run whose updates are read. */
export interface SubscribedRun {
  readonly runId: string;
  /** `tokens` includes model deltas and the progress of calls. */
  readonly detail: 'events' | 'tokens';
}

/** Each change is normally notified; reading at this interval finds changes whose notification was lost. */
const LOOK_EVERY_MS = 60_000;

/** Subscribes to a run, which need not exist yet. */
export async function subscribeToRun(
  { changes, deltas, historyParts }: UpdateSources,
  { runId, detail }: SubscribedRun,
): Promise<RunSubscription> {
  const queue = new UpdateQueue();
  const unsubscribe = changes.subscribe(runId, queue.addChange);
  const stopDeltas = detail === 'tokens' ? await deltas.listen(runId, queue.addDelta) : () => undefined;
  return {
    updates: (after, unwanted) => readUpdates(queue, createUpdateReader(historyParts, runId, after), unwanted),
    close() {
      unsubscribe();
      stopDeltas();
    },
  };
}

async function* readUpdates(
  queue: UpdateQueue,
  read: ReadRunUpdate,
  unwanted: readonly AbortSignal[],
): AsyncGenerator<RunUpdate, void> {
  for (const signal of unwanted) signal.addEventListener('abort', queue.addChange);
  try {
    for (;;) {
      const queued = await queue.take(LOOK_EVERY_MS);
      if (unwanted.some(({ aborted }) => aborted)) return;
      const update = await read(queued);
      if (!update) return;
      if (update.events.length > 0 && update.run.hasMore) queue.addChange();
      yield update;
    }
  } finally {
    for (const signal of unwanted) signal.removeEventListener('abort', queue.addChange);
  }
}

/** Reads the run when new events are possible. @returns `null` for a deleted run */
type ReadRunUpdate = (queued: QueuedUpdate) => Promise<RunUpdate | null>;

function createUpdateReader(looks: HistoryParts, runId: string, after: number): ReadRunUpdate {
  let run: HistoryPart | null = null;
  let seq = after;
  return async ({ deltas, progress, hasChanged }) => {
    const isFresh = hasChanged || mayHideMore(run);
    if (isFresh) run = await looks.after(runId, seq);
    if (!run) return null;
    if (!isFresh) return { deltas, progress, events: [], run, isUpToDate: false };
    const { events, lastSeq } = run;
    seq = events.at(-1)?.seq ?? seq;
    return { deltas, progress, events, run, isUpToDate: lastSeq <= seq };
  };
}

/**
 * The redaction that a run inherits from its thread is known only once the run is dispatched, which precedes its first
 * delta.
 */
function mayHideMore(run: HistoryPart | null): boolean {
  return run === null || run.lastSeq === 0;
}

/** What was received since the last read. */
interface QueuedUpdate {
  readonly deltas: readonly ModelDelta[];
  readonly progress: readonly CallProgress[];
  /** True when the run may have new events. */
  readonly hasChanged: boolean;
}

const MAX_DELTAS = 2_000;

/** Queues deltas and change notifications for a reader that is slower than the run. */
export class UpdateQueue {
  readonly #bell = createBell();
  #deltas: ModelDelta[] = [];
  readonly #progress = new Map<string, CallProgress>();
  #hasChanged = false;

  /** The first read is due at once. */
  constructor() {
    this.addChange();
  }

  /** Queues a delta. It is dropped when the queue is full, because the recorded event will contain the whole text. */
  readonly addDelta = (update: LiveUpdate): void => {
    if (isProgress(update)) this.#addProgress(update);
    else if (this.#deltas.length < MAX_DELTAS) this.#deltas.push(update);
    this.#bell.ring();
  };

  readonly addChange = (): void => {
    this.#hasChanged = true;
    this.#bell.ring();
  };

  /**
   * Waits until something is received or the time is up. After the timeout, the run must be read, as notifications may
   * be lost.
   */
  async take(withinMs: number): Promise<QueuedUpdate> {
    await this.#bell.rung(withinMs);
    const deltas = this.#deltas;
    const progress = [...this.#progress.values()];
    const hasChanged = this.#hasChanged || (deltas.length === 0 && progress.length === 0);
    this.#deltas = [];
    this.#progress.clear();
    this.#hasChanged = false;
    return { deltas, progress, hasChanged };
  }

  /** Later progress of a call replaces what was not read yet. */
  #addProgress(progress: CallProgress): void {
    if (this.#progress.size < MAX_DELTAS || this.#progress.has(progress.callKey))
      this.#progress.set(progress.callKey, progress);
  }
}

/**
 * Shares reads of runs between streams: streams that request the same part before its read has begun share one read. A
 * read that has begun is not shared any more, because it may miss newer events.
 */
export function shareReads(looks: HistoryParts): HistoryParts {
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
