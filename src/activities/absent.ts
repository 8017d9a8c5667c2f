import type { RunErrorCode } from '../graph/errors.ts';
import { CallError } from './call-error.ts';

/** A graph names what the worker that was given the call does not have. @param what such as `tool "pay"` */
export function absent(code: RunErrorCode, what: string): CallError {
  return new CallError(code, `This worker has no ${what}`, { retryable: false, done: 'no' });
}
