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

/** Work in another thread or process that has a limit of time. */
export interface WatchedWork {
  /** The processor's time that it may take, in milliseconds: a machine that is busy or stands still is not its fault. */
  readonly limitMs: number;
  /** The time after which it is given up, whatever it has worked. */
  readonly patienceMs: number;
  /** The time that it has worked so far, in milliseconds. */
  readonly workedMs: () => number;
  /** Is called once, when it takes too long. @param hasWorked false: it has waited for the machine */
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
