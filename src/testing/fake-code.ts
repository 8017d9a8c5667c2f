import { MissingAnswerError } from '../simulation/decisions.ts';
import { parseDelay } from '../simulation/timeline.ts';
import type { SimulatedClock } from '../simulation/timeline.ts';

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
  return new Delayed(parseDelay(delay), answer);
}

/** The second argument of a fake's code. */
export interface FakeContext {
  /** The call key: the same in every attempt of this call, and unique to it. */
  readonly key: string;
  /** The time of the test's clock. */
  readonly now: Date;
  /** Reports progress, which `run.calls` keeps. */
  progress(this: void, value: unknown): void;
}

export type TimedCode = (args: unknown, context: object) => Promise<unknown>;

/** Gives the code of a fake the time of the test's clock, and lets its answer take time. */
export function withTestClock(code: unknown, clock: SimulatedClock): TimedCode {
  if (typeof code !== 'function') throw new TypeError('A fake must be a function, or have one as "execute"');
  return async (args, context) => {
    const extended = { ...context, now: new Date(clock.now) };
    const returned = await recordMissing(
      async (): Promise<unknown> => await Reflect.apply(code, undefined, [args, extended]),
      clock,
    );
    if (!(returned instanceof Delayed)) return returned;
    clock.delayMs = returned.delayMs;
    if (returned.answer instanceof Error) throw returned.answer;
    return returned.answer;
  };
}

async function recordMissing(answer: () => Promise<unknown>, clock: SimulatedClock): Promise<unknown> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof MissingAnswerError) clock.missing = error;
    throw error;
  }
}
