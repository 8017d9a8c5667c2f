/** The intervals and the limit of a poll. */
interface PollOptions {
  readonly everyMs: number;
  readonly withinMs: number;
}

/** Looks again and again until the value is as wanted or the time is up. @returns the last value */
export async function poll<T>(
  look: () => Promise<T>,
  isWanted: (seen: T) => boolean,
  { everyMs, withinMs }: PollOptions,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isWanted(seen) || Date.now() + everyMs > until) return seen;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
