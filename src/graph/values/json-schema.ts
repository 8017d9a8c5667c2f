import { toShortPointer } from './json-pointer.ts';
import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { priceOfText, spendUnits, tryWithAllowance } from './meter.ts';
import { createEvaluator } from './validation/evaluator.ts';
import { findProblems } from './validation/find-problems.ts';

/** A schema is any JSON object, or `true` (accepts all) or `false` (accepts nothing). */
export type JsonSchema = JsonObject | boolean;

/**
 * A fault of a value, or of a schema itself. `path` is a JSON Pointer into it; the message never contains the value.
 */
export interface SchemaViolation {
  readonly path: string;
  readonly message: string;
  /** The violated keyword of the schema. */
  readonly keyword?: string;
  /** True if the check was aborted because it was too expensive. */
  readonly isTooExpensive?: true;
}

/** Lists all violations of a value; an empty list if the value is valid. */
export type SchemaCheck = (value: Json) => readonly SchemaViolation[];

/** Compiles a schema in which `findSchemaProblems` finds nothing. It fetches nothing and generates no code. */
export function compileJsonSchema(schema: JsonSchema): SchemaCheck {
  const evaluate = evaluatorOf(schema);
  return (value) => {
    return runCheck(() => evaluate(value).errors.map(withPointer)) ?? [TOO_EXPENSIVE];
  };
}

/**
 * Returns JSON Pointers to the parts of a value that violate a schema, except where only text keywords are violated.
 */
export function mismatchPointers(schema: JsonSchema, value: Json): ReadonlySet<string> {
  const evaluate = evaluatorOf(schema);
  const mismatches = runCheck(() =>
    evaluate(value)
      .errors.filter(({ keyword }) => !TEXT_KEYWORDS.has(keyword))
      .map(withPointer),
  );
  return new Set((mismatches ?? []).map(({ path }) => path));
}

/**
 * Memoized evaluators, because many nodes call the same tool, and many decisions are checked by one approval's schema.
 */
const knownEvaluators = new WeakMap<JsonObject, SchemaEvaluator>();

type SchemaEvaluator = ReturnType<typeof createEvaluator>;

/** Making an evaluator is free, so that the price does not depend on which process has it memoized. */
function evaluatorOf(schema: JsonSchema): SchemaEvaluator {
  if (typeof schema === 'boolean') return createEvaluator(schema);
  const evaluator = knownEvaluators.get(schema) ?? createEvaluator(schema);
  knownEvaluators.set(schema, evaluator);
  return evaluator;
}

/** Lists the faults of a JSON Schema, including dead and circular references; an empty list if it is usable. */
export function findSchemaProblems(schema: unknown): readonly SchemaViolation[] {
  if (!isJsonSchema(schema)) return [{ path: '', message: 'A JSON Schema is an object, true or false' }];
  return (
    tryWithAllowance('The JSON Schema', MAX_SCHEMA_UNITS, () => findProblems(schema).map(withPointer)) ?? [
      { ...TOO_EXPENSIVE, message: 'The schema is too complex' },
    ]
  );
}

export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Limits in units of one check, and of examining a schema. They belong to the interpreter version. */
const MAX_CHECK_UNITS = 2_000_000;
const MAX_SCHEMA_UNITS = 2_000_000;

const TOO_EXPENSIVE: SchemaViolation = {
  path: '',
  message: `The check by the schema is too complex: it takes more than ${MAX_CHECK_UNITS} units`,
  isTooExpensive: true,
};

const TEXT_KEYWORDS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'pattern', 'format']);

/** @returns `null` if the check is too expensive */
function runCheck<T extends object>(check: () => T): T | null {
  return tryWithAllowance('A check by a JSON Schema', MAX_CHECK_UNITS, check);
}

interface AtPath {
  readonly path: readonly (string | number)[];
}

/** Converts the path of a fault to a short pointer, because one long key may occur in the paths of many faults. */
function withPointer<Fault extends AtPath>({ path, ...fault }: Fault): Omit<Fault, 'path'> & { readonly path: string } {
  const pointer = toShortPointer(path);
  spendUnits(path.length + priceOfText(pointer));
  return { path: pointer, ...fault };
}
