import { readThreadTime } from '../../process/thread-time.ts';

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
const SHORTEST_LOOK_MS = 10;

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
 * @param limitMs the processor's time of the thread for the job, in milliseconds: a machine that is busy or stands still is
 * not the job's fault. Where the system does not tell it, the time that has passed counts.
 * @param patienceMs the time after which a job is given up that has worked less
 */
export function openJobLimit(limitMs: number, patienceMs = Math.max(PATIENCE * limitMs, LEAST_PATIENCE_MS)): JobLimit {
  const begun = new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT);
  const controller = new AbortController();
  const openedAt = performance.now();
  let isStarved = false;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const passedMs = performance.now() - openedAt;
    const leftMs = limitMs - (workedMs(begun) ?? passedMs);
    isStarved = leftMs > 0 && passedMs > patienceMs;
    if (leftMs <= 0 || isStarved) controller.abort();
    else lookAfter(leftMs);
  };
  const lookAfter = (ms: number): void => {
    timer = setTimeout(look, Math.max(ms, SHORTEST_LOOK_MS)).unref();
  };
  lookAfter(limitMs);
  return { signal: controller.signal, begun, isStarved: () => isStarved, close: () => clearTimeout(timer) };
}

/** The time that a thread has worked for a job; `null` where the system does not tell it. */
function workedMs(begun: SharedArrayBuffer): number | null {
  const told = new Int32Array(begun);
  const thread = Atomics.load(told, THREAD);
  if (thread === 0) return 0;
  const time = readThreadTime(`self/task/${thread}`);
  return time && time.workedMs - Atomics.load(told, WORKED_BEFORE);
}
