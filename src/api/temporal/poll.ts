/** The intervals and the limit of a poll. */
interface PollOptions {
  readonly everyMs: number;
  /** Pauses grow up to this; without it they stay the same. */
  readonly slowingToMs?: number;
  readonly withinMs: number;
}

/** For changes that a run has made and writes next. */
export const UNTIL_WRITTEN: PollOptions = { everyMs: 20, withinMs: 10_000 };

/** Looks again and again until the value is as wanted or the time is up. @returns the last value */
export async function poll<T>(
  look: () => Promise<T>,
  isWanted: (seen: T) => boolean,
  { everyMs, slowingToMs = everyMs, withinMs }: PollOptions,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (let pause = everyMs; ; pause = Math.min(pause * 1.5, slowingToMs)) {
    const seen = await look();
    if (isWanted(seen) || Date.now() + pause > until) return seen;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
