import { addDefaults, removeUnknownNames } from '../../values/complete-value.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { parsePointer } from '../../values/json-pointer.ts';
import type { SchemaViolation } from '../../values/json-schema.ts';
import { memberSchema, unconditionalSchemas } from '../../values/schema-parts.ts';
import type { SchemaPart } from '../../values/schema-parts.ts';
import { membersIn } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import type { ToolEntry } from '../catalog.ts';

/** The fields of a tool that decide how its arguments are completed. */
type ArgumentTerms = Pick<ToolEntry, 'parameters' | 'effect' | 'takes' | 'coerces' | 'strips'>;

/**
 * Completes arguments by a tool's JSON Schema. Defaults of the code's own schema are left to the code. A name that the
 * code's schema would drop is dropped here only where that is safe; before a tool with an effect, a misspelt name is
 * refused. If the arguments were meant for another tool, the names that only the other tool has are dropped.
 * @param isForOther true if the arguments were meant for another tool
 */
export function completeArguments(
  given: Json,
  { parameters, effect, takes, strips }: ArgumentTerms,
  isForOther = false,
): Json {
  const known = strips === true ? removeUnknownNames(given, parameters, isKept) : given;
  return takes === undefined ? addDefaults(known, parameters) : known;

  function isKept(name: string, others: readonly string[]): boolean {
    return effect !== 'idempotent' && !(isForOther && didYouMean(name, others) === '');
  }
}

/**
 * Returns the violations that refuse arguments. Where the code's own schema accepts more, only unknown names that it
 * would drop are refused.
 */
export function decisiveViolations(
  violations: readonly SchemaViolation[],
  { coerces }: ArgumentTerms,
): readonly SchemaViolation[] {
  return coerces === true ? violations.filter(isOfUnknownName) : violations;
}

function isOfUnknownName({ keyword }: SchemaViolation): boolean {
  return keyword === 'additionalProperties';
}

/** Formats a violation, with a suggestion for a misspelt name. */
export function describeViolation(
  violation: SchemaViolation,
  { parameters }: Pick<ArgumentTerms, 'parameters'>,
): string {
  const { path, message } = violation;
  if (!isOfUnknownName(violation)) return message;
  const keys = parsePointer(path);
  const around = keys.slice(0, -1).reduce<SchemaPart>(memberSchema, { schema: parameters, root: parameters });
  const known = unconditionalSchemas(around).flatMap(({ properties }) => membersIn(properties).map(([name]) => name));
  const suggestion = didYouMean(keys.at(-1) ?? '', known);
  return suggestion === '' ? message : `${message}.${suggestion}`;
}
