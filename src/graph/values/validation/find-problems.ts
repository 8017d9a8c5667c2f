import { isJsonList, isJsonObject, toItems } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import { spendUnits } from '../meter.ts';
import { compilePattern } from '../regular-expression.ts';
import { messageOf } from '../text.ts';
import { quoteSchema } from './keyword.ts';
import { subschemasOf, SchemaDocument } from './schema-document.ts';
import type { LocatedSchema } from './schema-document.ts';
import { TYPE_NAMES } from './value-keywords.ts';

/** A fault of a schema, with the path to it. */
export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Lists the faults of a schema: malformed keywords, references to nothing, circular references. */
export function findProblems(schema: Json): readonly SchemaProblem[] {
  const faulty = formProblems(schema, []);
  if (faulty.length > 0) return faulty;
  const document = new SchemaDocument(schema);
  const schemas: SchemaAt[] = [];
  const problems = referenceProblems(document, schemas);
  return problems.length > 0 ? problems : circleProblems(document, schemas);
}

/** Schemas nested deeper than this are refused, because each traversal of them recurses. */
const MAX_SCHEMA_LEVELS = 200;

function formProblems(schema: Json, path: readonly (string | number)[]): readonly SchemaProblem[] {
  spendUnits(1);
  if (typeof schema === 'boolean') return [];
  if (!isJsonObject(schema)) return [{ path, message: 'A JSON Schema is an object, true or false' }];
  if (path.length > MAX_SCHEMA_LEVELS) return [{ path, message: 'The schema is nested too deeply' }];
  const own = Object.entries(schema).flatMap(([keyword, content]) => {
    const problem = problemOfKeyword(keyword, content);
    return problem === null ? [] : [{ path: [...path, keyword], message: problem }];
  });
  if (own.length > 0) return own;
  return subschemasOf(schema).flatMap((inner) => formProblems(inner.schema, [...path, ...inner.path]));
}

function problemOfKeyword(keyword: string, content: Json): string | null {
  const form = KEYWORD_FORMS.get(keyword);
  if (!form) return null;
  try {
    return form.holds(content) ? null : `"${keyword}" must be ${form.what}`;
  } catch (error) {
    return messageOf(error);
  }
}

interface ContentForm {
  readonly what: string;
  /** @throws Error with the reason if the content is at fault */
  holds(content: Json): boolean;
}

const isText = (value: Json): boolean => typeof value === 'string';
const isListOfTexts = (value: Json): boolean => isJsonList(value) && value.every(isText);

const A_SCHEMA: ContentForm = { what: 'a schema', holds: (value) => typeof value === 'boolean' || isJsonObject(value) };
const SCHEMA_LIST: ContentForm = {
  what: 'a list of at least one schema',
  holds: (value) => isJsonList(value) && value.length > 0,
};
const NAMED_SCHEMAS: ContentForm = { what: 'an object of schemas', holds: isJsonObject };
const A_NUMBER: ContentForm = { what: 'a number', holds: (value) => typeof value === 'number' };
const A_COUNT: ContentForm = {
  what: 'a whole number from 0',
  holds: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const A_TEXT: ContentForm = { what: 'a text', holds: isText };

const KEYWORD_FORMS: ReadonlyMap<string, ContentForm> = new Map<string, ContentForm>([
  ...['not', 'if', 'then', 'else', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'].map(
    (keyword) => [keyword, A_SCHEMA] as const,
  ),
  ...['items', 'contains', 'unevaluatedItems'].map((keyword) => [keyword, A_SCHEMA] as const),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [keyword, SCHEMA_LIST] as const),
  ...['$defs', 'definitions', 'properties', 'dependentSchemas', 'dependencies'].map(
    (keyword) => [keyword, NAMED_SCHEMAS] as const,
  ),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => [keyword, A_NUMBER] as const),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (keyword) => [keyword, A_COUNT] as const,
  ),
  ...['minContains', 'maxContains'].map((keyword) => [keyword, A_COUNT] as const),
  ...['$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', 'format'].map((keyword) => [keyword, A_TEXT] as const),
  ['type', { what: 'the name of a type, or a list of them', holds: areTypeNames }],
  ['enum', { what: 'a list', holds: isJsonList }],
  ['multipleOf', { what: 'a number above 0', holds: (value) => typeof value === 'number' && value > 0 }],
  ['uniqueItems', { what: 'true or false', holds: (value) => typeof value === 'boolean' }],
  ['required', { what: 'a list of names', holds: isListOfTexts }],
  ['dependentRequired', { what: 'an object of lists of names', holds: (value) => isMapOf(value, isListOfTexts) }],
  ['pattern', { what: 'a text', holds: (value) => typeof value === 'string' && isValidPattern(value) }],
  [
    'patternProperties',
    { what: 'an object of schemas', holds: (value) => isJsonObject(value) && Object.keys(value).every(isValidPattern) },
  ],
]);

function areTypeNames(content: Json): boolean {
  const types = toItems(content);
  return types.length > 0 && types.every((type) => TYPE_NAMES.has(type));
}

function isMapOf(value: Json, holds: (member: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(holds);
}

/** @throws Error with the reason */
function isValidPattern(pattern: string): boolean {
  compilePattern(pattern);
  return true;
}

interface SchemaAt {
  readonly located: LocatedSchema;
  readonly path: readonly (string | number)[];
}

/**
 * Follows all references, including those into keywords that contain no subschemas.
 * @param schemas receives all schemas
 */
function referenceProblems(document: SchemaDocument, schemas: SchemaAt[]): readonly SchemaProblem[] {
  const known = new Set<Json>();
  const enter = (entry: SchemaAt): void => {
    const { schema } = entry.located;
    if (!isJsonObject(schema) || known.has(schema)) return;
    known.add(schema);
    schemas.push(entry);
    const base = document.baseOf(entry.located);
    for (const subschema of subschemasOf(schema))
      enter({ located: { schema: subschema.schema, base }, path: [...entry.path, ...subschema.path] });
  };
  enter({ located: document.root, path: [] });
  for (const { located, path } of schemas) {
    const { schema } = located;
    if (!isJsonObject(schema)) continue;
    const base = document.baseOf(located);
    const problem = referenceProblem(document, schema, base, path);
    if (problem) return [problem];
    const target = document.referred({ schema, base });
    if (!target || known.has(target.schema)) continue;
    const faulty = formProblems(target.schema, [...path, '$ref']);
    if (faulty.length > 0) return faulty;
    enter({ located: target, path: [...path, '$ref'] });
  }
  return [];
}

function referenceProblem(
  document: SchemaDocument,
  schema: JsonObject,
  base: string,
  path: readonly (string | number)[],
): SchemaProblem | null {
  const target = document.referred({ schema, base });
  if (target === null || (target && !A_SCHEMA.holds(target.schema)))
    return { path: [...path, '$ref'], message: `Nothing is at ${quoteSchema(schema['$ref'] ?? null)}` };
  if (document.dynamicallyReferred({ schema, base }) !== null) return null;
  const message = 'A "$dynamicRef" must name an anchor of this schema, such as "#node", that it has once';
  return { path: [...path, '$dynamicRef'], message };
}

/**
 * Finds references, in any keyword, that lead back to their own schema for the same value. Checking a value by them
 * would never end.
 */
function circleProblems(document: SchemaDocument, schemas: readonly SchemaAt[]): readonly SchemaProblem[] {
  const finished = new Set<Json>();
  const open = new Set<Json>();
  const visit = (located: LocatedSchema): string | null => {
    const { schema } = located;
    spendUnits(1);
    if (!isJsonObject(schema) || finished.has(schema)) return null;
    if (open.has(schema)) return 'A reference leads back to itself';
    if (open.size > MAX_SCHEMA_LEVELS)
      return `More than ${MAX_SCHEMA_LEVELS} references and combinations apply one inside the other`;
    open.add(schema);
    const base = document.baseOf(located);
    const next = [document.referred({ schema, base }), document.dynamicallyReferred({ schema, base })];
    const subschemas = subschemasOf(schema).filter(({ appliesTo }) => appliesTo === 'same');
    for (const inner of [...next, ...subschemas.map((one) => ({ schema: one.schema, base }))]) {
      const problem = inner ? visit(inner) : null;
      if (problem !== null) return problem;
    }
    open.delete(schema);
    finished.add(schema);
    return null;
  };
  for (const { located } of schemas) {
    const message = visit(located);
    if (message !== null) return [{ path: [], message }];
  }
  return [];
}
