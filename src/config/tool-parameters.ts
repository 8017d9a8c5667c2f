import { z } from 'zod';
import type { StandardSchema } from '../activities/tools/standard-schema.ts';
import type { SchemaValue } from '../builder/schema-value.ts';
import type { Json, JsonSchema } from '../graph/values/index.ts';
import {
  compilePattern,
  findSchemaProblems,
  isJsonObject,
  isJsonSchema,
  messageOf,
  toJson,
} from '../graph/values/index.ts';

/** A code tool's parameters: a schema of zod or a similar library, or a JSON Schema. */
export type ToolSchema = StandardSchema | JsonSchema;

/** The type of the arguments that a schema outputs. */
export type ArgumentsOf<S> = S extends StandardSchema<infer Output> ? Output : SchemaValue<S>;

/** A tool's JSON Schema, and the schema that converts arguments, if it has one. */
export interface ParsedParameters {
  readonly parameters: JsonSchema;
  readonly schema: StandardSchema | null;
}

/** Reads a code tool's parameters. The JSON Schema describes the input, before defaults and transformations. */
export const Parameters = z.unknown().transform((input, context): ParsedParameters => {
  const schema = isStandardSchema(input) ? input : null;
  try {
    return { parameters: requireSchema(schema ? toJsonSchema(schema) : input), schema };
  } catch (error) {
    context.addIssue(messageOf(error));
    return z.NEVER;
  }
});

/** Reads the schema of what a tool returns. Of a library's schema its input counts, as the code returns it. */
export const Result = Parameters.transform(({ parameters }): JsonSchema => parameters);

function requireSchema(schema: unknown): JsonSchema {
  const [problem] = findSchemaProblems(schema);
  if (!problem && isJsonSchema(schema)) return schema;
  throw new TypeError(
    `must be a schema of zod or a like library, or a JSON Schema${problem ? `: ${problem.message}` : ''}`,
  );
}

function isStandardSchema(value: unknown): value is StandardSchema {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isHolder && '~standard' in value;
}

function toJsonSchema({ '~standard': standard }: StandardSchema): Json {
  if (typeof standard.jsonSchema?.input !== 'function')
    throw new TypeError(`must be a schema that gives JSON Schema; this version of ${standard.vendor} does not`);
  const { $schema: _dialect, ...schema } = standard.jsonSchema.input({ target: 'draft-2020-12' });
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
  if (typeof pattern !== 'string') return true;
  try {
    compilePattern(pattern);
    return true;
  } catch {
    return false;
  }
}
