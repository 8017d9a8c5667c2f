import type { Changes, RunChange } from '../../store/changes.ts';
import { createBell } from '../http/bell.ts';
import type { Bell } from '../http/bell.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';

type RunChanges = Pick<Changes, 'subscribe'>;

/** Something about a run to wait for. */
interface Awaited<T> {
  readonly runId: string;
  /** Done when nothing is missed any more; without it, the first look is at once. */
  readonly begin?: () => Promise<void>;
  readonly look: () => Promise<T>;
  readonly isWanted: (seen: T) => boolean;
  /** Changes that are worth a look; by default all. */
  readonly isOfInterest?: (change: RunChange) => boolean;
  readonly withinMs: number;
  /** Ends the waiting early. */
  readonly unwanted?: readonly AbortSignal[];
}

/** A run writes what it has done next; this is the time for that. */
export const WRITTEN_WITHIN_MS = 10_000;

/** Changes may be missed, so the run is looked at now and then. */
const LOOK_EVERY_MS = 5_000;

/** Looks again each time that a run changes, until what is seen is wanted or the time is up. @returns what was seen last */
export async function untilRun<T>({ changes }: { changes: RunChanges }, awaited: Awaited<T>): Promise<T> {
  const { begin, look, isWanted, withinMs, unwanted = [] } = awaited;
  const bell = createBell();
  const unhook = hook(bell, changes, awaited);
  const until = Date.now() + withinMs;
  const isOver = (): boolean => Date.now() >= until || unwanted.some(({ aborted }) => aborted);
  const pause = async (): Promise<void> => await bell.rung(Math.min(LOOK_EVERY_MS, until - Date.now()));
  try {
    await begin?.();
    if (begin && !isOver()) await pause();
    for (;;) {
      const seen = await look();
      if (isWanted(seen) || isOver()) return seen;
      await pause();
    }
  } finally {
    unhook();
  }
}

/** Rings a bell when the run changes, and when the answer is unwanted. @returns a function that ends that */
function hook<T>(
  { ring }: Bell,
  changes: RunChanges,
  { runId, isOfInterest = () => true, unwanted = [] }: Awaited<T>,
): () => void {
  const unsubscribe = changes.subscribe(runId, (change) => {
    if (!change || isOfInterest(change)) ring();
  });
  for (const signal of unwanted) signal.addEventListener('abort', ring);
  return () => {
    unsubscribe();
    for (const signal of unwanted) signal.removeEventListener('abort', ring);
  };
}

interface Waiting {
  /** Starts the run. */
  readonly begin?: () => Promise<void>;
  readonly seconds: number;
  /** Each ends the waiting early. */
  readonly unwanted: readonly AbortSignal[];
}

/** Waits until a run ends, waits or pauses, or the time is up. @returns the run as it is then */
export async function waitForRun(
  { store }: Pick<ApiDeps, 'store'>,
  runId: string,
  { seconds, ...waiting }: Waiting,
): Promise<RunRecord | null> {
  return await untilRun(store, {
    runId,
    look: () => store.runs.find(runId),
    isWanted: (run) => !run || isAtRest(run),
    isOfInterest: isAtRest,
    withinMs: seconds * 1_000,
    ...waiting,
  });
}

function isAtRest({ status }: Pick<RunRecord, 'status'>): boolean {
  return isEnded(status) || status === 'waiting' || status === 'paused';
}
