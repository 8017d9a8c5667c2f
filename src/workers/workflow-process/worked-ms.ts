import { readFileSync } from 'node:fs';

/** Of a tick of Linux's clock, in which it counts the time of threads. */
const TICK_MS = 10;

/** A reading costs as much as a short request, so one holds for this time. */
const HOLDS_FOR_MS = 50;

/** Makes what tells the time that a process has worked, in milliseconds, as it was 50 ms ago or later. */
export function openWorkedMs(pid: number | undefined): () => number {
  let last = { at: Number.NEGATIVE_INFINITY, workedMs: 0 };
  return () => {
    const at = performance.now();
    if (at - last.at >= HOLDS_FOR_MS) last = { at, workedMs: workedMs(pid) };
    return last.workedMs;
  };
}

/**
 * The time that the main thread of a process has worked, in milliseconds. Where the system does not tell it as Linux does,
 * and of a process that is gone, it is the time that has passed.
 */
function workedMs(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything; 11 fields later come the two times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isNaN(ticks) ? performance.now() : ticks * TICK_MS;
  } catch {
    return performance.now();
  }
}
