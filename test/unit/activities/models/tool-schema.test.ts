import { describe, expect, test } from 'vitest';
import { toToolSchema } from '../../../../src/activities/models/tool-schema.ts';
import type { JsonSchema } from '../../../../src/graph/values/json-schema.ts';

describe('toToolSchema', () => {
  test.each<[JsonSchema, object]>([
    [true, { type: 'object', properties: {} }],
    [false, { type: 'object', properties: {} }],
    [{}, { type: 'object', properties: {} }],
    [{ type: ['object', 'null'] }, { type: 'object', properties: {} }],
    [
      { properties: { a: true, b: false, c: { items: true } }, additionalProperties: false },
      { type: 'object', properties: { a: {}, b: { not: {} }, c: { items: {} } }, additionalProperties: false },
    ],
    [
      { properties: { a: { anyOf: [true, { type: 'string' }] } }, $defs: { any: true } },
      { type: 'object', properties: { a: { anyOf: [{}, { type: 'string' }] } }, $defs: { any: {} } },
    ],
    [{ properties: { enum: { enum: [1] } } }, { type: 'object', properties: { enum: { enum: [1] } } }],
  ])('%j is an object with properties', (schema, expected) => {
    expect(toToolSchema(schema)).toEqual({ schema: expected, note: '' });
  });

  test.each<JsonSchema>([
    { oneOf: [{ required: ['a'] }, { required: ['b'] }], properties: { a: {}, b: {} } },
    { $ref: '#/$defs/args', properties: { a: {}, b: {} } },
  ])('what can’t stand at the top of %j is told in words', (schema) => {
    expect(toToolSchema(schema)).toEqual({
      schema: { type: 'object', properties: { a: {}, b: {} } },
      note: `The arguments must fit this JSON Schema: ${JSON.stringify(schema)}`,
    });
  });
});
