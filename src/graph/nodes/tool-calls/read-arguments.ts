import { coerce, coerceAt } from './coerce.ts';
import { mismatchPointers } from '../../values/json-schema.ts';
import type { JsonSchema, SchemaCheck } from '../../values/json-schema.ts';
import type { Json } from '../../values/json.ts';

/** Reads the arguments that a model has written, which may hold numbers and booleans as text. They may still not fit. */
export function readArguments(written: Json, parameters: JsonSchema, check: SchemaCheck): Json {
  if (check(written).length === 0) return written;
  const coerced = coerceAt(written, mismatchPointers(parameters, written));
  // Violations don't always point at the texts to convert, so every text counts where the schema declares other types.
  return check(coerced).length === 0 ? coerced : coerce(written, parameters);
}
