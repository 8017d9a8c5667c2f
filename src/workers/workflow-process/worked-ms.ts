import { readThreadTime } from '../../process/thread-time.ts';

/** A reading costs as much as a short request, so one holds for this time. */
const HOLDS_FOR_MS = 50;

/**
 * Makes what tells the time that the main thread of a process has worked, in milliseconds, as it was 50 ms ago or later.
 * Where the system does not tell it, and of a process that is gone, it is the time that has passed.
 */
export function openWorkedMs(pid: number | undefined): () => number {
  let last = { at: Number.NEGATIVE_INFINITY, workedMs: 0 };
  return () => {
    const at = performance.now();
    if (at - last.at >= HOLDS_FOR_MS) last = { at, workedMs: readThreadTime(`${pid}/task/${pid}`)?.workedMs ?? at };
    return last.workedMs;
  };
}
