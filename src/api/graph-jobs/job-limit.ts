import { readThreadTime, watchWork } from '../../process/thread-time.ts';

/** Limits the processor time of a job in a thread. */
export interface JobLimit {
  /** Aborted when the job has used too much processor time, or has waited too long for the processor. */
  readonly signal: AbortSignal;
  /** Shared memory in which the thread records the start of the job. */
  readonly begun: SharedArrayBuffer;
  /** Returns true if the job was aborted because the machine was overloaded, so that the job is not at fault. */
  isStarved(): boolean;
  close(): void;
}

/**
 * A job that gets no processor time is aborted after this multiple of its limit, but not while its thread may still
 * start.
 */
const PATIENCE = 3;
const LEAST_PATIENCE_MS = 30_000;

/** Records in the shared memory that this thread begins a job. */
export function recordBegin(begun: SharedArrayBuffer): void {
  const { thread, workedMs } = readThreadTime('thread-self') ?? { thread: UNKNOWN, workedMs: 0 };
  const fields = new Int32Array(begun);
  Atomics.store(fields, WORKED_BEFORE, workedMs);
  Atomics.store(fields, THREAD, thread);
}

/** The indexes of the fields in the shared memory; `THREAD` is 0 until the job has begun. */
const [THREAD, WORKED_BEFORE, FIELDS] = [0, 1, 2];
/** The operating system does not report the processor time of threads. */
const UNKNOWN = -1;

/**
 * @param limitMs the processor time of the job in milliseconds. If the operating system does not report it, elapsed
 * time is used instead.
 * @param patienceMs the elapsed time after which a job is aborted although it has used less processor time
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

/** Returns the processor time of a job so far; `null` where the operating system does not report it. */
function workedMs(begun: SharedArrayBuffer): number | null {
  const fields = new Int32Array(begun);
  const thread = Atomics.load(fields, THREAD);
  if (thread === 0) return 0;
  const time = readThreadTime(`self/task/${thread}`);
  return time && time.workedMs - Atomics.load(fields, WORKED_BEFORE);
}
