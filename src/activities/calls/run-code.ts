import type { ValueReply } from '../../graph/run/index.ts';
import { compileJsonSchema, messageOf, toJson } from '../../graph/values/index.ts';
import type { Json, JsonSchema, RunErrorCode, SchemaCheck } from '../../graph/values/index.ts';
import { CallError, UNCLEAR } from './call-error.ts';
import { fromCode } from './classify-failure.ts';

/** Runs configured code. Its errors are retryable, and its result must be JSON. @throws CallError */
export async function runCode(code: RunErrorCode, work: () => unknown): Promise<ValueReply> {
  try {
    const returned = await work();
    return returned instanceof PlainResult
      ? { kind: 'value', value: toJsonResult(code, returned.value), isPlain: true }
      : { kind: 'value', value: toJsonResult(code, returned) };
  } catch (error) {
    throw fromCode(code, error);
  }
}

/** Returns a check by a schema that is compiled at its first use. */
export function lazyCheck(schema: JsonSchema): SchemaCheck {
  let check: SchemaCheck | null = null;
  return (value) => (check ??= compileJsonSchema(schema))(value);
}

/** Converts a result to JSON. A failure is final: the work is done, and a retry would return the same. */
function toJsonResult(code: RunErrorCode, value: unknown): Json {
  try {
    return toJson(value ?? null);
  } catch (error) {
    throw new CallError(code, messageOf(error), { ...UNCLEAR, cause: error });
  }
}

/** A global symbol, because a configuration may have loaded this module twice. */
const PLAIN_RESULT_BRAND = Symbol.for('holdfast.PlainResult');

/** A result of a function or node type that is not interpreted as a command to the engine. */
export class PlainResult {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  get [PLAIN_RESULT_BRAND](): true {
    return true;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && PLAIN_RESULT_BRAND in value;
  }
}

/**
 * Marks a return value as a plain result. Without it, an object that has only keys of a command (`update`, `goto`,
 * `control`, `reason`) is a command. Use it for code that returns JSON from other sources.
 */
export function result(value: unknown): PlainResult {
  return new PlainResult(value);
}
