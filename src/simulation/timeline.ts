import { parseDuration } from '../graph/values/index.ts';
import type { MissingAnswerError } from './decisions.ts';

/** A planned action at a time of the test's clock. @returns the occurrences for the run */
type PlannedAction<T> = () => Promise<readonly T[]>;

interface PlannedEntry<T> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly perform: PlannedAction<T>;
}

/** Planned actions, ordered by time; those at the same time in the order in which they were planned. */
export interface Timeline<T> {
  /** @param at milliseconds since the epoch. @returns a function that cancels the plan */
  plan(at: number, perform: PlannedAction<T>): () => void;
  /** The time of the next action; `null` if there is none. */
  nextAt(): number | null;
  /** Removes and returns the next action. */
  take(): PlannedEntry<T> | null;
}

export function createTimeline<T>(): Timeline<T> {
  const entries: PlannedEntry<T>[] = [];
  return {
    plan(at, perform) {
      const entry = { at, perform };
      const later = entries.findIndex((other) => other.at > at);
      entries.splice(later === -1 ? entries.length : later, 0, entry);
      return () => void entries.splice(0, entries.length, ...entries.filter((other) => other !== entry));
    },
    nextAt: () => entries[0]?.at ?? null,
    take: () => entries.shift() ?? null,
  };
}

/** @returns milliseconds. @throws TypeError for a text that is not a duration */
export function parseDelay(delay: string): number {
  const ms = parseDuration(delay);
  if (ms === null) throw new TypeError(`"${delay}" is no duration, such as "5s" or "2h"`);
  return ms;
}

/** The test's clock and the call in progress. Calls are made one at a time. */
export interface SimulatedClock {
  /** Milliseconds since the epoch. */
  now: number;
  /** The duration of the call, in milliseconds. */
  delayMs: number;
  /** The error of a missing answer. It ends the test even if the graph handles the failure. */
  missing: MissingAnswerError | null;
}
