import type { RunErrorCode } from '../graph/errors.ts';
import { toJson } from '../graph/json.ts';
import type { Json } from '../graph/json.ts';
import { messageOf } from '../graph/message-of.ts';
import { CallError } from './call-error.ts';

/** What code returned, as JSON. What is no JSON now is none at the next attempt, and the work has been done. */
export function toResult(code: RunErrorCode, value: unknown): Json {
  try {
    return toJson(value ?? null);
  } catch (error) {
    throw new CallError(code, messageOf(error), { retryable: false, done: 'perhaps', cause: error });
  }
}
