import { draft2020, extendDraft, compileSchema } from 'json-schema-library';
import type { SchemaNode, Keyword, JsonSchemaValidatorParams, ValidationReturnType } from 'json-schema-library';
import { isJsonObject, canonicalJson } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { compilePattern, matchesPattern } from './regular-expression.ts';
import { messageOf } from './text.ts';

/** A schema is any JSON object, or `true` (accepts all) or `false` (accepts nothing). */
export type JsonSchema = JsonObject | boolean;

/** A fault of a value, or of a schema itself. `path` is a JSON Pointer into it. */
export interface SchemaViolation {
  readonly path: string;
  readonly message: string;
}

/** Lists all violations of a value; an empty list: the value is valid. */
export type SchemaCheck = (value: Json) => readonly SchemaViolation[];

/** Compiles a schema in which `findSchemaProblems` finds nothing. */
export function compileJsonSchema(schema: JsonSchema): SchemaCheck {
  const root = compileSchema(schema, { drafts: [draft] });
  return (value) =>
    validationErrors(root, value)?.map(({ message, data }) => ({ path: toPath(data.pointer), message })) ?? [
      { path: '', message: 'The value is nested too deeply for its schema' },
    ];
}

/** JSON Pointers to the parts of a value that violate a schema, except for violations of text keywords alone. */
export function mismatchPointers(schema: JsonSchema, value: Json): ReadonlySet<string> {
  const errors = validationErrors(compileSchema(schema, { drafts: [draft] }), value) ?? [];
  return new Set(
    errors.flatMap(({ code, data }) =>
      typeof code === 'string' && TEXT_ERRORS.test(code) ? [] : [toPath(data.pointer)],
    ),
  );
}

/** Lists the faults of a JSON Schema, with dead and endless references among them; an empty list: it is usable. */
export function findSchemaProblems(schema: unknown): readonly SchemaViolation[] {
  if (!isJsonSchema(schema)) return [{ path: '', message: 'A JSON Schema is an object, true or false' }];
  try {
    const root = compileSchema(schema, { drafts: [draft] });
    const problems = (root.schemaErrors ?? []).map(({ message, data }) => ({ path: toPath(data.pointer), message }));
    return problems.length > 0 ? problems : findReferenceProblems(root);
  } catch (error) {
    return [{ path: '', message: messageOf(error) }];
  }
}

export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/**
 * JSON Schema 2020-12 with `pattern` in linear-time RE2 syntax. The library interprets schemas and generates no code.
 */
const draft = extendDraft(draft2020, {
  keywords: [
    { ...standard('properties'), parse: parseProperties },
    { ...standard('pattern'), parse: parsePattern },
    { ...standard('patternProperties'), parse: parsePatternProperties },
    { ...standard('uniqueItems'), validate: checkUniqueItems },
  ],
});

/** @returns `null`: the value is nested too deeply */
function validationErrors(root: SchemaNode, value: Json): ReturnType<SchemaNode['validate']>['errors'] | null {
  try {
    return root.validate(value).errors;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The library's error codes of `minLength`, `maxLength`, `pattern` and `format`. */
const TEXT_ERRORS = /^(?:min-length|max-length|pattern|format-.*)-error$/;

/**
 * Finds references without a target by looking them up, and endless ones by validating any value: the stack overflows.
 */
function findReferenceProblems(root: SchemaNode): readonly SchemaViolation[] {
  const references = root.toSchemaNodes().filter((node) => node.$ref !== undefined);
  for (const node of references) {
    if (node.resolveRef()?.schema === undefined)
      return [{ path: toPath(`${node.schemaLocation}/$ref`), message: `Nothing is at ${node.$ref}` }];
  }
  try {
    root.validate(null);
    return [];
  } catch (error) {
    if (error instanceof RangeError) return [{ path: '', message: 'A reference leads back to itself' }];
    throw error;
  }
}

function standard(keyword: string): Keyword {
  const found = draft2020.keywords.find((candidate) => candidate.keyword === keyword);
  if (!found) throw new TypeError(`The schema library knows no keyword ${keyword}`);
  return found;
}

/** Properties get no prototype: the library would find `toString` and the like of every object among them. */
function parseProperties(node: SchemaNode): ReturnType<NonNullable<Keyword['parse']>> {
  const problems = standard('properties').parse?.(node);
  if (node.properties) node.properties = Object.assign(Object.create(null), node.properties);
  return problems;
}

function parsePattern(node: SchemaNode): void {
  node.pattern = toLinearPattern(node.schema['pattern']);
}

function parsePatternProperties(node: SchemaNode): void {
  const schemas: unknown = node.schema['patternProperties'];
  if (!isJsonObject(schemas)) throw new TypeError('patternProperties must be an object');
  node.patternProperties = Object.entries(schemas).map(([name, schema]) => {
    if (!isJsonSchema(schema)) throw new TypeError(`patternProperties/${name} must be a schema`);
    return {
      name,
      pattern: toLinearPattern(name),
      node: node.compileSchema(schema, `${node.evaluationPath}/patternProperties/${name}`),
    };
  });
}

/** A stand-in for the regular expression that the library would make; the library uses its `test` only. */
function toLinearPattern(pattern: unknown): RegExp {
  if (typeof pattern !== 'string') throw new TypeError('a pattern is text');
  compilePattern(pattern);
  return Object.assign(/(?:)/, { test: (text: string): boolean => matchesPattern(text, pattern) });
}

function checkUniqueItems({ node, data, pointer }: JsonSchemaValidatorParams): ValidationReturnType {
  if (node.schema['uniqueItems'] !== true || !Array.isArray(data)) return undefined;
  if (new Set(data.map(canonicalJson)).size === data.length) return undefined;
  return node.createError(
    'unique-items-error',
    { pointer, schema: node.schema, value: data },
    `The items of ${pointer} are not all different`,
  );
}

/** The library writes pointers as URI fragments. */
function toPath(pointer: unknown): string {
  return typeof pointer === 'string' ? pointer.replace(/^#/, '') : '';
}
