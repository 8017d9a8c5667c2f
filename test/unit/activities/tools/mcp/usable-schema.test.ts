import { expect, test } from 'vitest';
import { toUsableSchema } from '../../../../../src/activities/tools/mcp/usable-schema.ts';
import type { JsonObject } from '../../../../../src/graph/values/json.ts';
import { compileJsonSchema, findSchemaProblems } from '../../../../../src/graph/values/json-schema.ts';

const LOOKAHEAD = String.raw`^(?!\.)[a-z.]+$`;

/** A schema of a server, what it becomes, and what is not checked. */
test.each<[string, JsonObject, JsonObject, string[]]>([
  [
    'a pattern with a lookahead',
    { properties: { email: { type: 'string', pattern: LOOKAHEAD } } },
    { properties: { email: { type: 'string' } } },
    ['pattern of "email"'],
  ],
  ['a pattern with a large repetition', { items: { pattern: '^a{1,2048}$' } }, { items: {} }, ['pattern']],
  ['a pattern that is valid and kept', { pattern: '^a+$' }, { pattern: '^a+$' }, []],
  [
    'a member that is named pattern',
    { properties: { pattern: { type: 'string' } } },
    { properties: { pattern: { type: 'string' } } },
    [],
  ],
  ['data with a member named pattern', { default: { pattern: LOOKAHEAD } }, { default: { pattern: LOOKAHEAD } }, []],
  [
    'a list of schemas in items',
    { items: [{ type: 'number' }], additionalItems: false },
    { prefixItems: [{ type: 'number' }], items: false },
    [],
  ],
  [
    'names of required members',
    { dependentRequired: { items: ['order'] } },
    { dependentRequired: { items: ['order'] } },
    [],
  ],
  [
    'boolean keywords of draft 4',
    { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    { exclusiveMinimum: 1, maximum: 9 },
    [],
  ],
  [
    'schemas inside of combinations',
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { items: [{ pattern: LOOKAHEAD }] } } },
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { prefixItems: [{}] } } },
    ['pattern of "a"'],
  ],
])('the unusable JSON schema of an MCP tool becomes usable: %s', (_what, schema, expected, unchecked) => {
  const usable = toUsableSchema(schema);
  expect(usable).toEqual({ schema: expected, unchecked });
  expect(findSchemaProblems(usable.schema)).toEqual([]);
  expect(() => compileJsonSchema(usable.schema)(null)).not.toThrow();
});
