import { readFileSync } from 'node:fs';

/** Milliseconds of a tick of Linux's clock, the unit in which it counts the time of threads. */
const TICK_MS = 10;

/** A thread by its number in the system, and the time that the processor has given it, in milliseconds. */
export interface ThreadTime {
  readonly thread: number;
  readonly workedMs: number;
}

/**
 * Reads how long a thread has worked.
 * @param thread a path below `/proc`, such as `thread-self` or `self/task/17`
 * @returns `null` for a thread that is gone, and on systems other than Linux
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

/** Work in another thread or process that has a limit of time. */
export interface WatchedWork {
  /** The processor time that it may take, in milliseconds; time in which the machine is busy or paused does not count. */
  readonly limitMs: number;
  /** The elapsed time after which it is given up, in milliseconds. */
  readonly patienceMs: number;
  /** The processor time that it has taken so far, in milliseconds. */
  readonly workedMs: () => number;
  /**
   * Is called once, when it takes too long.
   * @param hasWorked true if its processor time is used up; false if the elapsed time is over
   */
  readonly onLate: (hasWorked: boolean) => void;
}

/** Watches work until it is late. @returns a function that ends the watch */
export function watchWork({ limitMs, patienceMs, workedMs, onLate }: WatchedWork): () => void {
  const begunAt = performance.now();
  let isWatching = true;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    if (!isWatching) return;
    const leftMs = limitMs - workedMs();
    if (leftMs <= 0 || performance.now() - begunAt >= patienceMs) onLate(leftMs <= 0);
    else lookAfter(leftMs);
  };
  // After the timer, answers are read that came while this process stood still.
  const lookAfter = (ms: number): void => {
    timer = setTimeout(() => setImmediate(look), Math.ceil(ms)).unref();
  };
  lookAfter(limitMs);
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}
