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
