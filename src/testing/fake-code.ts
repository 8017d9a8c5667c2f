import { MissingAnswerError } from '../simulation/decisions.ts';
import { toDelay } from '../simulation/timeline.ts';
import type { Pace } from '../simulation/timeline.ts';

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
