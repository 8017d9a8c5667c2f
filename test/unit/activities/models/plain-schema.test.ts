import { describe, expect, test } from 'vitest';
import { isPlainSchema, isStrictSchema, toToolSchema } from '../../../../src/activities/models/plain-schema.ts';
import type { JsonSchema } from '../../../../src/graph/values/json-schema.ts';

const text = { type: 'string' } as const;
const closed = { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false } as const;
const open = { type: 'object', properties: { a: text } } as const;

describe('isPlainSchema', () => {
  test.each<JsonSchema>([
    closed,
    open,
    { type: 'array', items: text },
    { enum: ['a', 'b'] },
    { const: 'a' },
    { anyOf: [text, { type: 'null' }] },
    { type: ['string', 'null'], maxLength: 3, description: 'A text' },
  ])('the plain schema %j describes every value', (schema) => {
    expect(isPlainSchema(schema)).toBe(true);
  });

  test.each<JsonSchema>([
    true,
    {},
    { type: 'object' },
    { type: 'object', properties: {} },
    { type: 'object', properties: { a: true } },
    { ...open, additionalProperties: true },
    { ...open, additionalProperties: text },
    { ...open, patternProperties: { x: text } },
    { type: 'array' },
    { type: ['array', 'null'] },
    { enum: ['a', 1] },
    { const: 1 },
    { anyOf: [] },
    { $ref: '#/$defs/a', $defs: { a: text } },
    { allOf: [text] },
    { type: 'object', properties: { a: { type: 'object' } } },
  ])('the schema %j is not plain: it does not describe every value', (schema) => {
    expect(isPlainSchema(schema)).toBe(false);
  });
});

describe('isStrictSchema', () => {
  test.each<JsonSchema>([
    closed,
    { ...closed, properties: { a: { type: 'array', items: closed } } },
    { anyOf: [closed, text] },
  ])('the strict schema %j has closed objects only', (schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });

  test.each<JsonSchema>([
    true,
    open,
    { ...closed, required: [] },
    { ...closed, properties: { a: { ...text, minLength: 1 } } },
    { ...closed, properties: { a: open } },
    { anyOf: [closed, open] },
  ])('the schema %j is not strict: it has other than closed objects', (schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});

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
  ])('the tool schema %j becomes an object with properties', (schema, expected) => {
    expect(toToolSchema(schema)).toEqual({ schema: expected, note: '' });
  });

  test.each<JsonSchema>([
    { oneOf: [{ required: ['a'] }, { required: ['b'] }], properties: { a: {}, b: {} } },
    { $ref: '#/$defs/args', properties: { a: {}, b: {} } },
  ])('keywords that are not allowed at the top of the tool schema %j are described in words', (schema) => {
    expect(toToolSchema(schema)).toEqual({
      schema: { type: 'object', properties: { a: {}, b: {} } },
      note: `The arguments must fit this JSON Schema: ${JSON.stringify(schema)}`,
    });
  });
});
