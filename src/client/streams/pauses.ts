import type { Timing } from '../timing.ts';

/** Pauses before a stream is opened anew: longer each time that nothing new came. */
export interface Pauses {
  next(): Promise<void>;
  /** Called when something new has come. */
  reset(): void;
}

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

export function createPauses(timing: Timing, signal: AbortSignal | undefined): Pauses {
  let pauses = 0;
  return {
    async next() {
      const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** pauses);
      pauses += 1;
      await timing.sleep(ms * (0.5 + timing.random() / 2), signal);
    },
    reset: () => void (pauses = 0),
  };
}
