import { z } from 'zod';
import {
  DATA_KEYWORDS,
  findSchemaProblems,
  isJsonList,
  isJsonObject,
  isJsonSchema,
  NAMED_KEYWORDS,
  parsePointer,
  toPointer,
} from '../graph/values/index.ts';
import type { Json, JsonSchema } from '../graph/values/index.ts';

/** A fault of a JSON Schema in a configuration. */
interface SchemaFault {
  /** The JSON Pointer into the schema; an empty text for the schema itself. */
  readonly path: string;
  readonly message: string;
}

/** Finds the first fault of a JSON Schema, and keywords of OpenAPI 3.0 that mean nothing in one; `null` for a usable schema. */
export function findSchemaFault(schema: JsonSchema): SchemaFault | null {
  const [problem] = findSchemaProblems(schema);
  if (problem) return problem;
  const nullable = findNullableKeyword(schema, []);
  return nullable && { path: toPointer(nullable), message: NULLABLE };
}

const NULLABLE =
  '"nullable" is a keyword of OpenAPI 3.0 and means nothing here: write "type": ["string", "null"], with the type in place of string';

function findNullableKeyword(schema: Json, path: readonly string[]): readonly string[] | null {
  if (isJsonList(schema))
    return findInParts(
      schema.map((item, at) => [String(at), item] as const),
      path,
    );
  if (!isJsonObject(schema)) return null;
  if (schema['nullable'] === true) return path;
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA_KEYWORDS.has(keyword)) continue;
    const members = NAMED_KEYWORDS.has(keyword) && isJsonObject(value) ? Object.entries(value) : null;
    const found = members ? findInParts(members, [...path, keyword]) : findNullableKeyword(value, [...path, keyword]);
    if (found) return found;
  }
  return null;
}

function findInParts(parts: readonly (readonly [string, Json])[], path: readonly string[]): readonly string[] | null {
  for (const [key, part] of parts) {
    const found = findNullableKeyword(part, [...path, key]);
    if (found) return found;
  }
  return null;
}

/** A JSON Schema in a configuration. The path of an issue leads to the fault inside the schema. */
export const JsonSchemaField = z
  .custom<JsonSchema>(isJsonSchema, 'must be a JSON Schema')
  .superRefine((schema, context) => {
    const fault = findSchemaFault(schema);
    if (fault) context.addIssue({ code: 'custom', path: parsePointer(fault.path), message: fault.message });
  });
