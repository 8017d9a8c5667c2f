import { toShortPointer } from './json-pointer.ts';
import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { priceOfText, spend, tryWithAllowance } from './meter.ts';
import { createEvaluator } from './validation/evaluator.ts';
import { findProblems } from './validation/find-problems.ts';

/** A schema is any JSON object, or `true` (accepts all) or `false` (accepts nothing). */
export type JsonSchema = JsonObject | boolean;

/** A fault of a value, or of a schema itself. `path` is a JSON Pointer into it; the message never holds the value. */
export interface SchemaViolation {
  readonly path: string;
  readonly message: string;
  /** The keyword of the schema that does not hold. */
  readonly keyword?: string;
  /** The check was ended, because it costs too much. */
  readonly isTooExpensive?: true;
}

/** Lists all violations of a value; an empty list: the value is valid. */
export type SchemaCheck = (value: Json) => readonly SchemaViolation[];

/** Compiles a schema in which `findSchemaProblems` finds nothing. Nothing is fetched, and no code is generated. */
export function compileJsonSchema(schema: JsonSchema): SchemaCheck {
  const evaluate = evaluatorOf(schema);
  return (value) => {
    return runCheck(() => evaluate(value).errors.map(atPointer)) ?? [TOO_EXPENSIVE];
  };
}

/** JSON Pointers to the parts of a value that violate a schema, except for violations of text keywords alone. */
export function mismatchPointers(schema: JsonSchema, value: Json): ReadonlySet<string> {
  const evaluate = evaluatorOf(schema);
  const mismatches = runCheck(() =>
    evaluate(value)
      .errors.filter(({ keyword }) => !TEXT_KEYWORDS.has(keyword))
      .map(atPointer),
  );
  return new Set((mismatches ?? []).map(({ path }) => path));
}

/** Evaluators of schemas: many nodes call a tool, and many decisions are checked by the schema of an approval. */
const evaluators = new WeakMap<JsonObject, Evaluator>();

type Evaluator = ReturnType<typeof createEvaluator>;

/** To make an evaluator costs no units, so that it does not matter which process remembers it. */
function evaluatorOf(schema: JsonSchema): Evaluator {
  if (typeof schema === 'boolean') return createEvaluator(schema);
  const evaluator = evaluators.get(schema) ?? createEvaluator(schema);
  evaluators.set(schema, evaluator);
  return evaluator;
}

/** Lists the faults of a JSON Schema, with dead and endless references among them; an empty list: it is usable. */
export function findSchemaProblems(schema: unknown): readonly SchemaViolation[] {
  if (!isJsonSchema(schema)) return [{ path: '', message: 'A JSON Schema is an object, true or false' }];
  return (
    tryWithAllowance('The JSON Schema', MAX_SCHEMA_UNITS, () => findProblems(schema).map(atPointer)) ?? [
      { ...TOO_EXPENSIVE, message: 'The schema is too complex' },
    ]
  );
}

export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Limits in units of one check, and of looking at a schema. They belong to the interpreter version. */
const MAX_CHECK_UNITS = 2_000_000;
const MAX_SCHEMA_UNITS = 2_000_000;

const TOO_EXPENSIVE: SchemaViolation = {
  path: '',
  message: `The check by the schema is too complex: it takes more than ${MAX_CHECK_UNITS} units`,
  isTooExpensive: true,
};

const TEXT_KEYWORDS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'pattern', 'format']);

/** @returns `null`: the check costs too much */
function runCheck<T extends object>(check: () => T): T | null {
  return tryWithAllowance('A check by a JSON Schema', MAX_CHECK_UNITS, check);
}

interface Located {
  readonly path: readonly (string | number)[];
}

/** Names the place of a fault. Of many faults one long key may be on the way to each. */
function atPointer<Fault extends Located>({ path, ...fault }: Fault): Omit<Fault, 'path'> & { readonly path: string } {
  const pointer = toShortPointer(path);
  spend(path.length + priceOfText(pointer));
  return { path: pointer, ...fault };
}
