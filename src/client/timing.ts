/** The clock and random source of a client; tests replace them. */
export interface Timing {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** @throws the reason of the signal if it aborts */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const REAL_TIMING: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    let stop = (): void => {};
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      stop = () => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener('abort', stop);
    });
    signal?.removeEventListener('abort', stop);
    signal?.throwIfAborted();
  },
};
