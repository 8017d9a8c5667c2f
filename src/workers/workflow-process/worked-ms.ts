import { readFileSync } from 'node:fs';

/** Of a tick of Linux's clock, in which it counts the time of threads. */
const TICK_MS = 10;

/**
 * The time that the main thread of a process has worked, in milliseconds. Where the system does not tell it as Linux does,
 * and of a process that is gone, it is the time that has passed.
 */
export function workedMs(pid: number | undefined): number {
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
