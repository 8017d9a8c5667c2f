import { readThreadTime, watchWork } from '../../process/thread-time.ts';

/** Limits the time of a job in a thread. */
export interface JobLimit {
  /** Aborts when the job has worked for too long, or has waited for the processor for too long. */
  readonly signal: AbortSignal;
  /** Where the thread says that it begins. */
  readonly begun: SharedArrayBuffer;
  /** The machine had no time for the job, which is no fault of the job. */
  isStarved(): boolean;
  close(): void;
}

/** A job that waits for the processor is given up after so many times its limit, and not while its thread may begin. */
const PATIENCE = 3;
const LEAST_PATIENCE_MS = 30_000;

/** Says that this thread begins a job. */
export function tellBegun(begun: SharedArrayBuffer): void {
  const { thread, workedMs } = readThreadTime('thread-self') ?? { thread: UNKNOWN, workedMs: 0 };
  const told = new Int32Array(begun);
  Atomics.store(told, WORKED_BEFORE, workedMs);
  Atomics.store(told, THREAD, thread);
}

/** What a thread says, by its place; `THREAD` is 0 until it has begun. */
const [THREAD, WORKED_BEFORE, FIELDS] = [0, 1, 2];
/** The system does not tell how long threads work. */
const UNKNOWN = -1;

/**
 * @param limitMs the processor's time of the thread for the job, in milliseconds. Where the system does not tell it, the time
 * that has passed counts.
 * @param patienceMs the time after which a job is given up that has worked less
 */
export function openJobLimit(limitMs: number, patienceMs = Math.max(PATIENCE * limitMs, LEAST_PATIENCE_MS)): JobLimit {
  const begun = new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT);
  const controller = new AbortController();
  const openedAt = performance.now();
  let isStarved = false;
  const close = watchWork({
    limitMs,
    patienceMs,
    workedMs: () => workedMs(begun) ?? performance.now() - openedAt,
    onLate(hasWorked) {
      isStarved = !hasWorked;
      controller.abort();
    },
  });
  return { signal: controller.signal, begun, isStarved: () => isStarved, close };
}

/** The time that a thread has worked for a job; `null` where the system does not tell it. */
function workedMs(begun: SharedArrayBuffer): number | null {
  const told = new Int32Array(begun);
  const thread = Atomics.load(told, THREAD);
  if (thread === 0) return 0;
  const time = readThreadTime(`self/task/${thread}`);
  return time && time.workedMs - Atomics.load(told, WORKED_BEFORE);
}
