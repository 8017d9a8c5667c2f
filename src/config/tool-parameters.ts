import { z } from 'zod';
import type { StandardSchema } from '../activities/tools/standard-schema.ts';
import type { SchemaValue } from '../builder/schema-value.ts';
import type { ToolEntry } from '../graph/definition/index.ts';
import type { Json, JsonSchema } from '../graph/values/index.ts';
import { isLinearPattern, isJsonObject, isJsonSchema, messageOf, parsePointer, toJson } from '../graph/values/index.ts';
import { findSchemaFault } from './json-schema.ts';
import { closedInput, TARGET, zodTraitsOf } from './read-zod.ts';
import type { ZodTraits } from './read-zod.ts';

/** A code tool's parameters: a schema of zod or a similar library, or a JSON Schema. */
export type ToolSchema = StandardSchema | JsonSchema;

/** The type of the arguments that code receives: the output of a schema, as JSON. */
export type ArgumentsOf<S> = S extends StandardSchema<infer Output> ? JsonOf<Output> : SchemaValue<S>;

/** A date becomes text in JSON; an object with `toJSON` becomes its return value. */
type JsonOf<T> = unknown extends T
  ? T
  : T extends { toJSON: () => infer Value }
    ? Value
    : T extends string | number | boolean | null | undefined
      ? T
      : { [Key in keyof T]: JsonOf<T[Key]> };

/** A tool's JSON Schema, and the schema that reads arguments, if it has one. */
export interface ParsedParameters extends Pick<ToolEntry, 'parameters' | 'takes' | 'coerces' | 'strips'> {
  readonly schema: StandardSchema | null;
}

/** Reads a code tool's parameters. The JSON Schema describes the input, before defaults and transformations. */
export const Parameters = z.unknown().transform((input, context): ParsedParameters => {
  try {
    return isStandardSchema(input) ? readStandard(input) : { parameters: requireSchema(input), schema: null };
  } catch (error) {
    const path = error instanceof SchemaError ? parsePointer(error.path) : [];
    context.addIssue({ code: 'custom', path, message: messageOf(error) });
    return z.NEVER;
  }
});

/** Reads the schema of a tool's result. Of a library's schema the input counts, because the code returns it. */
export const SchemaResult = Parameters.transform(({ parameters }): JsonSchema => parameters);

/** The fault of a JSON Schema. `path` is the JSON Pointer into it. */
class SchemaError extends TypeError {
  readonly path: string;

  constructor(message = '', path = '') {
    super(`must be a schema of zod or a like library, or a JSON Schema${message === '' ? '' : `: ${message}`}`);
    this.path = path;
  }
}

function requireSchema(schema: unknown): JsonSchema {
  if (!isJsonSchema(schema)) throw new SchemaError();
  const fault = findSchemaFault(schema);
  if (fault) throw new SchemaError(fault.message, fault.path);
  return schema;
}

function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isHolder && '~standard' in value;
}

function readStandard(schema: StandardSchema): ParsedParameters {
  const { vendor, jsonSchema } = schema['~standard'];
  if (typeof jsonSchema?.input !== 'function')
    throw new TypeError(`must be a schema that gives JSON Schema; this version of ${vendor} does not`);
  const { isPlain, coerces, strips } = vendor === 'zod' ? zodTraitsOf(schema) : UNKNOWN_TRAITS;
  const parameters = strips ? closedInput(schema) : jsonSchema.input({ target: TARGET });
  return {
    parameters: requireSchema(toJsonSchema(parameters)),
    schema,
    ...(!isPlain && { takes: outputOfSchema(schema) }),
    ...(coerces && { coerces }),
    ...(strips && { strips }),
  };
}

/** The effects of a schema of another library, which are unknown. */
const UNKNOWN_TRAITS: ZodTraits = { isPlain: false, coerces: false, strips: false };

/** The effects of a schema on arguments, as far as it states them. */
function outputOfSchema({ '~standard': { jsonSchema } }: StandardSchema): JsonSchema {
  try {
    const libraryOptions = { unrepresentable: 'any' };
    return requireSchema(toJsonSchema(jsonSchema.output({ target: TARGET, libraryOptions })));
  } catch {
    return true;
  }
}

function toJsonSchema({ $schema: _dialect, ...schema }: Record<string, unknown>): Json {
  return withLinearPatterns(toJson(schema));
}

/**
 * Drops patterns that take more than linear time, such as those with lookahead. The library itself still checks them
 * before the code is called.
 */
function withLinearPatterns(value: Json): Json {
  if (Array.isArray(value)) return value.map(withLinearPatterns);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key, member]) => key !== 'pattern' || isLinear(member));
  return Object.fromEntries(kept.map(([key, member]) => [key, withLinearPatterns(member)]));
}

function isLinear(pattern: Json): boolean {
  return typeof pattern !== 'string' || isLinearPattern(pattern);
}
