/** How long something is waited for, and how often it is looked at. */
interface PollOptions {
  readonly everyMs: number;
  /** Pauses grow up to this; they stay the same without it. */
  readonly slowingToMs?: number;
  readonly withinMs: number;
}

/** For what a run has taken in, and says with its next write. */
export const UNTIL_WRITTEN: PollOptions = { everyMs: 20, withinMs: 10_000 };

/** Looks at something again and again, until it is as wanted or time is up. @returns what was seen last */
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
