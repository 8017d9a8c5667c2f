import type { JsonSchema } from '../graph/definition.ts';
import { compileJsonSchema } from '../graph/json-schema.ts';
import type { SchemaCheck } from '../graph/json-schema.ts';

/** A check of values by a schema, which is compiled once, when the first value comes. */
export function lazyCheck(schema: JsonSchema): SchemaCheck {
  let check: SchemaCheck | null = null;
  return (value) => (check ??= compileJsonSchema(schema))(value);
}
