import { describe, expect, test } from 'vitest';
import { addDefaults, removeUnknownNames } from '../../../../src/graph/values/complete-value.ts';
import type { JsonSchema } from '../../../../src/graph/values/json-schema.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const n: JsonSchema = { properties: { n: { default: 1 } } };

describe('withDefaults', () => {
  test.each<[what: string, JsonSchema, Json, Json]>([
    ['a missing name', n, {}, { n: 1 }],
    ['not one that is null', n, { n: null }, { n: null }],
    ['in a list', { items: n }, [{}, { n: 2 }], [{ n: 1 }, { n: 2 }]],
    ['in a member', { properties: { a: n } }, { a: {} }, { a: { n: 1 } }],
    ['in what a reference leads to', { $ref: '#/$defs/n', $defs: { n } }, {}, { n: 1 }],
    ['in all of several', { allOf: [n, { properties: { m: { default: 2 } } }] }, {}, { n: 1, m: 2 }],
    ['not in one of several', { anyOf: [n, {}] }, {}, {}],
    ['a default as it is', { properties: { a: { ...n, default: {} } } }, {}, { a: {} }],
    ['null as well', { properties: { n: { default: null } } }, {}, { n: null }],
    ['a name of a prototype', { properties: { constructor: { default: 1 } } }, {}, { constructor: 1 }],
    ['nothing to a value that is not an object', n, 'text', 'text'],
    ['nothing without a schema', true, {}, {}],
  ])('adds defaults: %s', (...[, schema, value, expected]) => {
    expect(addDefaults(value, schema)).toEqual(expected);
  });

  test('returns a complete value unchanged', () => {
    const value = { n: 2, list: [{ n: 3 }] };
    expect(addDefaults(value, { properties: { n: { default: 1 }, list: { items: n } } })).toBe(value);
  });
});

describe('withoutUnknown', () => {
  const closed: JsonSchema = { properties: { n: {} }, additionalProperties: false };
  test.each<[what: string, JsonSchema, Json, Json]>([
    ['a name that is not declared', closed, { n: 1, m: 2 }, { n: 1 }],
    ['one in a list', { items: closed }, [{ m: 2 }], [{}]],
    ['no name if more is declared beside a reference', { $ref: '#/$defs/c', $defs: { c: closed } }, { m: 2 }, { m: 2 }],
    ['one of a member behind a reference', { ...closed, properties: { n: { $ref: '#' } } }, { n: { m: 2 } }, { n: {} }],
    ['no name of an open object', n, { m: 2 }, { m: 2 }],
    ['no name that patterns may declare', { ...closed, patternProperties: { m: {} } }, { m: 2 }, { m: 2 }],
    ['no name that other schemas may declare', { ...closed, allOf: [{ properties: { m: {} } }] }, { m: 2 }, { m: 2 }],
  ])('removes %s', (...[, schema, value, expected]) => {
    expect(removeUnknownNames(value, schema)).toEqual(expected);
  });
});
