import type { Changes, RunChange } from '../../store/changes.ts';
import { createBell } from '../http/bell.ts';
import type { Bell } from '../http/bell.ts';
import { isEnded } from '../../graph/run/index.ts';
import { unavailable } from '../http/errors.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';

type RunChanges = Pick<Changes, 'subscribe'>;

/** A value of a run to wait for. */
interface AwaitedValue<T> {
  readonly runId: string;
  /** Called after the subscription has begun, so that no change is missed. Without it, the value is read at once. */
  readonly begin?: () => Promise<void>;
  readonly look: () => Promise<T>;
  readonly isWanted: (seen: T) => boolean;
  /** Selects the changes after which the value is read again; by default all. */
  readonly isOfInterest?: (change: RunChange) => boolean;
  readonly withinMs: number;
  /** Aborting one of them ends the wait. */
  readonly unwanted?: readonly AbortSignal[];
}

/** The most time that a run needs to write what it has done. */
export const WRITTEN_WITHIN_MS = 10_000;

/** Change notifications may be lost, so the value is also read at this interval. */
const LOOK_EVERY_MS = 5_000;

/**
 * Reads a value each time that a run changes, until the value is accepted or the time is up.
 * @returns the last value
 */
export async function untilRun<T>(changes: RunChanges, awaited: AwaitedValue<T>): Promise<T> {
  const { begin, look, isWanted, withinMs, unwanted = [] } = awaited;
  const bell = createBell();
  const stopWaking = wakeByChanges(bell, changes, awaited);
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
    stopWaking();
  }
}

/**
 * Reads a value until the journal has written it, because rows are written after a run has answered.
 * @throws ApiError 503 when that takes too long
 */
export async function untilWritten<T>(
  changes: RunChanges,
  runId: string,
  read: () => Promise<T | null>,
  isWritten: (found: T) => boolean,
): Promise<T> {
  const isWanted = (found: T | null): boolean => found !== null && isWritten(found);
  const found = await untilRun(changes, { runId, look: read, isWanted, withinMs: WRITTEN_WITHIN_MS });
  if (found === null || !isWritten(found)) throw unavailable('The journal');
  return found;
}

/** Rings a bell when the run changes or a signal is aborted. @returns a function that unsubscribes */
function wakeByChanges<T>(
  { ring }: Bell,
  changes: RunChanges,
  { runId, isOfInterest = () => true, unwanted = [] }: AwaitedValue<T>,
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

interface WaitOptions {
  /** Starts the run. */
  readonly begin?: () => Promise<void>;
  readonly seconds: number;
  /** Aborting one of them ends the wait. */
  readonly unwanted: readonly AbortSignal[];
}

/** Waits until a run ends, waits or pauses, or the time is up. @returns the run in its last state */
export async function waitForRun(
  { store }: Pick<ApiDeps, 'store'>,
  runId: string,
  { seconds, ...waiting }: WaitOptions,
): Promise<RunRecord | null> {
  return await untilRun(store.changes, {
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
