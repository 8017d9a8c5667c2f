import { readFileSync } from 'node:fs';

/** Of a tick of Linux's clock, in which it counts the time of threads. */
const TICK_MS = 10;

/** A thread by its number in the system, and the time that the processor has given it, in milliseconds. */
export interface ThreadTime {
  readonly thread: number;
  readonly workedMs: number;
}

/**
 * Reads how long a thread has worked.
 * @param thread a path below `/proc`, such as `thread-self` or `self/task/17`
 * @returns `null` for a thread that is gone, and where the system does not tell it as Linux does
 */
export function readThreadTime(thread: string): ThreadTime | null {
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything; 11 fields later come the two times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isNaN(ticks) ? null : { thread: Number.parseInt(stat, 10), workedMs: ticks * TICK_MS };
  } catch {
    return null;
  }
}
