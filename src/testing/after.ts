import { parseDuration } from '../graph/values/index.ts';

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
