import { z } from 'zod';

/** Code, told apart from data by being callable. */
export function code<T extends (...args: never[]) => unknown>(): z.ZodType<T, T> {
  return z.custom<T>((value) => typeof value === 'function', 'must be a function');
}
