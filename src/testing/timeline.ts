/** Something that happens at a time of the test's clock. @returns what the run learns of it */
type Happening<T> = () => Promise<readonly T[]>;

interface Planned<T> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly happen: Happening<T>;
}

/** What is going to happen, by time; at the same time in the order in which it was planned. */
export interface Timeline<T> {
  /** @param at milliseconds since the epoch. @returns a function that takes the plan back */
  plan(at: number, happen: Happening<T>): () => void;
  /** The time of the next happening; `null` without one. */
  nextAt(): number | null;
  /** Takes the next happening away. */
  take(): Planned<T> | null;
}

export function createTimeline<T>(): Timeline<T> {
  const entries: Planned<T>[] = [];
  return {
    plan(at, happen) {
      const entry = { at, happen };
      const later = entries.findIndex((other) => other.at > at);
      entries.splice(later === -1 ? entries.length : later, 0, entry);
      return () => void entries.splice(0, entries.length, ...entries.filter((other) => other !== entry));
    },
    nextAt: () => entries[0]?.at ?? null,
    take: () => entries.shift() ?? null,
  };
}
