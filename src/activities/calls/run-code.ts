import type { ValueReply } from '../../graph/run/index.ts';
import type { Json, JsonSchema, RunErrorCode, SchemaCheck } from '../../graph/values/index.ts';
import { compileJsonSchema, messageOf, toJson } from '../../graph/values/index.ts';
import { CallError } from './call-error.ts';
import { fromCode } from './classify-failure.ts';

/** Runs code that a call asks for. What it throws may be tried again, what it returns has to be JSON. @throws CallError */
export async function runCode(code: RunErrorCode, work: () => unknown): Promise<ValueReply> {
  try {
    return { kind: 'value', value: toResult(code, await work()) };
  } catch (error) {
    throw fromCode(code, error);
  }
}

/** A check of values by a schema, which is compiled once, when the first value comes. */
export function lazyCheck(schema: JsonSchema): SchemaCheck {
  let check: SchemaCheck | null = null;
  return (value) => (check ??= compileJsonSchema(schema))(value);
}

/** What code returned, as JSON. What is no JSON now is none at the next attempt, and the work has been done. */
function toResult(code: RunErrorCode, value: unknown): Json {
  try {
    return toJson(value ?? null);
  } catch (error) {
    throw new CallError(code, messageOf(error), { retryable: false, done: 'perhaps', cause: error });
  }
}
