import { readThreadTime } from '../../process/thread-time.ts';

/** A reading costs as much as a short request, so one holds for this time. */
const HOLDS_FOR_MS = 50;

/**
 * Makes a clock that counts only while the main thread of a process works, in milliseconds. A reading is up to 50 ms old.
 * The clock counts always if the process is gone, or the system does not measure its work.
 */
export function openWorkedMs(pid: number | undefined): () => number {
  let last = { at: Number.NEGATIVE_INFINITY, workedMs: 0 };
  return () => {
    const at = performance.now();
    if (at - last.at >= HOLDS_FOR_MS) last = { at, workedMs: readThreadTime(`${pid}/task/${pid}`)?.workedMs ?? at };
    return last.workedMs;
  };
}
