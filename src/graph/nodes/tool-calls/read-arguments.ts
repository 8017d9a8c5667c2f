import { coerce, coerceAt } from './coerce.ts';
import { mismatchPointers } from '../../values/json-schema.ts';
import type { JsonSchema, SchemaCheck, SchemaViolation } from '../../values/json-schema.ts';
import type { Json } from '../../values/json.ts';

/** Arguments that fit a tool's parameters, or their first violation. */
type ReadArguments = { readonly args: Json } | { readonly violation: SchemaViolation };

/** Reads the arguments that a model has written, which may hold numbers and booleans as text. */
export function readArguments(written: Json, parameters: JsonSchema, check: SchemaCheck): ReadArguments {
  if (check(written).length === 0) return { args: written };
  const coerced = coerceAt(written, mismatchPointers(parameters, written));
  return check(coerced).length === 0 ? { args: coerced } : readCoerced(written, parameters, check);
}

/** Converts every text where the schema declares other types: violations don't always point at the texts to convert. */
function readCoerced(written: Json, parameters: JsonSchema, check: SchemaCheck): ReadArguments {
  const args = coerce(written, parameters);
  const [violation] = check(args);
  return violation ? { violation } : { args };
}
