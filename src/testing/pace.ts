import { Delayed } from './after.ts';
import { MissingAnswerError } from './missing-answer-error.ts';

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
