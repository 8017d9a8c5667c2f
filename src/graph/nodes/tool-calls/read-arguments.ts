import { coerce, coerceAt } from '../../coerce.ts';
import type { JsonSchema } from '../../definition.ts';
import { placesOfOtherValues } from '../../json-schema.ts';
import type { SchemaCheck, SchemaViolation } from '../../json-schema.ts';
import type { Json } from '../../json.ts';

/** Arguments that a tool takes, or what is wrong with them. */
type ReadArguments = { readonly args: Json } | { readonly violation: SchemaViolation };

/** What a model has written, as the arguments that a tool takes. */
export function readArguments(given: Json, parameters: JsonSchema, check: SchemaCheck): ReadArguments {
  if (check(given).length === 0) return { args: given };
  const mended = coerceAt(given, placesOfOtherValues(parameters, given));
  return check(mended).length === 0 ? { args: mended } : readCoerced(given, parameters, check);
}

/** Texts are converted wherever the schema seems to take none. */
function readCoerced(given: Json, parameters: JsonSchema, check: SchemaCheck): ReadArguments {
  const args = coerce(given, parameters);
  const [violation] = check(args);
  return violation ? { violation } : { args };
}
