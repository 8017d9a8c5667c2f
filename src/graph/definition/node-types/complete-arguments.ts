import { withDefaults, withoutUnknown } from '../../values/complete-value.ts';
import { didYouMean } from '../../values/did-you-mean.ts';
import { parsePointer } from '../../values/json-pointer.ts';
import type { SchemaViolation } from '../../values/json-schema.ts';
import { memberSchema, wholeSchemas } from '../../values/schema-parts.ts';
import type { SchemaPart } from '../../values/schema-parts.ts';
import { isJsonObject } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';
import type { ToolEntry } from '../catalog.ts';

/** The terms of a tool that say what is made of arguments. */
type Terms = Pick<ToolEntry, 'parameters' | 'effect' | 'takes' | 'coerces' | 'strips'>;

/**
 * Returns what a tool's JSON Schema makes of arguments. Defaults that the code's own schema has are its own to fill in.
 * A name that this schema would leave out is left out only where no harm can come of it: a misspelt one before an effect
 * is refused. Of arguments that were meant for another tool, the names that it alone has are left out.
 * @param isForOther the arguments were meant for another tool
 */
export function completeArguments(given: Json, { parameters, effect, takes, strips }: Terms, isForOther = false): Json {
  const known = strips === true ? withoutUnknown(given, parameters, isKept) : given;
  return takes === undefined ? withDefaults(known, parameters) : known;

  function isKept(name: string, others: readonly string[]): boolean {
    return effect !== 'idempotent' && !(isForOther && didYouMean(name, others) === '');
  }
}

/** The violations that refuse arguments. Where the code's own schema takes more, only names do that it would leave out. */
export function refusing(violations: readonly SchemaViolation[], { coerces }: Terms): readonly SchemaViolation[] {
  return coerces === true ? violations.filter(isOfUnknownName) : violations;
}

function isOfUnknownName({ keyword }: SchemaViolation): boolean {
  return keyword === 'additionalProperties';
}

/** Words a violation, with the name that was perhaps meant. */
export function describeViolation(violation: SchemaViolation, { parameters }: Pick<Terms, 'parameters'>): string {
  const { path, message } = violation;
  if (!isOfUnknownName(violation)) return message;
  const keys = parsePointer(path);
  const around = keys.slice(0, -1).reduce<SchemaPart>(memberSchema, { schema: parameters, root: parameters });
  const known = wholeSchemas(around).flatMap(({ properties }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  );
  const suggestion = didYouMean(keys.at(-1) ?? '', known);
  return suggestion === '' ? message : `${message}.${suggestion}`;
}
