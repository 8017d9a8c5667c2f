import { parseDuration } from '../graph/values/index.ts';
import type { MissingAnswerError } from './decisions.ts';

/** Something that happens at a time of the test's clock. @returns the occurrences for the run */
type Happening<T> = () => Promise<readonly T[]>;

interface Planned<T> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly happen: Happening<T>;
}

/** Planned happenings, ordered by time; those at the same time in the order in which they were planned. */
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

/** @returns milliseconds. @throws TypeError for a text that is no duration */
export function toDelay(delay: string): number {
  const ms = parseDuration(delay);
  if (ms === null) throw new TypeError(`"${delay}" is no duration, such as "5s" or "2h"`);
  return ms;
}

/** The test's clock, and the call that is being made: calls are made one at a time. */
export interface SimulatedClock {
  /** Milliseconds since the epoch. */
  now: number;
  /** The time that the call takes, in milliseconds. */
  delayMs: number;
  /** The error of an answer that the test lacks; it ends the test, even if the graph handles the failure. */
  missing: MissingAnswerError | null;
}
