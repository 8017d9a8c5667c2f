import { parseDuration } from '../graph/values/index.ts';
import { MissingAnswerError } from './answers.ts';

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

/** An answer that takes some time of the test's clock. */
export class Delayed<T> {
  readonly delayMs: number;
  readonly answer: T;

  constructor(delayMs: number, answer: T) {
    this.delayMs = delayMs;
    this.answer = answer;
  }
}

/**
 * Lets a fake take time: `() => after('5s', { paid: true })`. The test does not wait; its clock skips. An
 * answer that is an `Error` is thrown.
 * @param delay a duration, such as `5s`
 */
export function after<T>(delay: string, answer: T): Delayed<T> {
  return new Delayed(toDelay(delay), answer);
}

/** @returns milliseconds. @throws TypeError for a text that is no duration */
export function toDelay(delay: string): number {
  const ms = parseDuration(delay);
  if (ms === null) throw new TypeError(`"${delay}" is no duration, such as "5s" or "2h"`);
  return ms;
}

/** How long the call that is being made takes by the test's clock. Calls are made one at a time. */
export interface Pace {
  /** Milliseconds since the epoch. */
  now: number;
  delayMs: number;
  /** An answer that the test lacks, whatever the engine makes of the error. */
  missing: MissingAnswerError | null;
}

/** What the code of a fake is told besides its arguments. */
export interface FakeContext {
  /** The call key: the same in every attempt of this call, and unique to it. */
  readonly key: string;
  /** The time of the test's clock. */
  readonly now: Date;
}

export type PacedCode = (args: unknown, context: object) => Promise<unknown>;

/** Lets the code of a fake take time and know the time. */
export function paced(code: unknown, pace: Pace): PacedCode {
  if (typeof code !== 'function') throw new TypeError('A fake must be a function, or have one as "execute"');
  return async (args, context) => {
    const told = { ...context, now: new Date(pace.now) };
    const returned = await watched(
      async (): Promise<unknown> => await Reflect.apply(code, undefined, [args, told]),
      pace,
    );
    if (!(returned instanceof Delayed)) return returned;
    pace.delayMs = returned.delayMs;
    if (returned.answer instanceof Error) throw returned.answer;
    return returned.answer;
  };
}

async function watched(answer: () => Promise<unknown>, pace: Pace): Promise<unknown> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof MissingAnswerError) pace.missing = error;
    throw error;
  }
}
