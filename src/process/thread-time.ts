import { readFileSync } from 'node:fs';

/** Milliseconds per clock tick, the unit in which Linux counts the processor time of threads. */
const TICK_MS = 10;

/** A thread by its system id, and its processor time in milliseconds. */
export interface ThreadTime {
  readonly thread: number;
  readonly workedMs: number;
}

/**
 * Reads the processor time of a thread.
 * @param thread a path below `/proc`, such as `thread-self` or `self/task/17`
 * @returns `null` for a thread that has ended, and on systems other than Linux
 */
export function readThreadTime(thread: string): ThreadTime | null {
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The program name in parentheses may contain any characters; the two times come 11 fields after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isNaN(ticks) ? null : { thread: Number.parseInt(stat, 10), workedMs: ticks * TICK_MS };
  } catch {
    return null;
  }
}

/** Work in another thread or process with a time limit. */
export interface WatchedWork {
  /** The limit of processor time, in milliseconds; time in which the machine is busy or paused does not count. */
  readonly limitMs: number;
  /** The limit of elapsed time, in milliseconds. */
  readonly patienceMs: number;
  /** The processor time used so far, in milliseconds. */
  readonly workedMs: () => number;
  /**
   * Called once when a limit is exceeded.
   * @param hasWorked true if the processor time is used up; false if the elapsed time is over
   */
  readonly onLate: (hasWorked: boolean) => void;
}

/** Monitors work until it exceeds a limit. @returns a function that stops the monitoring */
export function watchWork({ limitMs, patienceMs, workedMs, onLate }: WatchedWork): () => void {
  const begunAt = performance.now();
  let isWatching = true;
  let timer: NodeJS.Timeout;
  const check = (): void => {
    if (!isWatching) return;
    const leftMs = limitMs - workedMs();
    if (leftMs <= 0 || performance.now() - begunAt >= patienceMs) onLate(leftMs <= 0);
    else checkAfter(leftMs);
  };
  // Messages that arrived while this process was suspended are read after the timer, so the check comes later.
  const checkAfter = (ms: number): void => {
    timer = setTimeout(() => setImmediate(check), Math.ceil(ms)).unref();
  };
  checkAfter(limitMs);
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}
