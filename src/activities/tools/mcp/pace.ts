/** The pauses before requests for more of one stream. The SDK leaves them to the server, which may want none. */
export interface Pace {
  /** Tells how long the next request has to wait, in milliseconds. @param now in milliseconds since the epoch */
  next(now: number): number;
  /** The stream has brought a message, so the next pause is the shortest again. */
  restart(): void;
}

/** Between the beginnings of two requests, so that a stream that has lasted long is asked for again at once. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const GROWTH = 1.5;

/** Pauses grow while streams end without a message. */
export function createPace(): Pace {
  let begunAt = Number.NEGATIVE_INFINITY;
  let pauseMs = SHORTEST_PAUSE_MS;
  return {
    next(now) {
      const waitMs = Math.max(0, begunAt + pauseMs - now);
      begunAt = now + waitMs;
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH);
      return waitMs;
    },
    restart() {
      pauseMs = SHORTEST_PAUSE_MS;
    },
  };
}
