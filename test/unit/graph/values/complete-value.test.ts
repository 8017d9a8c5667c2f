import { describe, expect, test } from 'vitest';
import { addDefaults, removeUnknownNames } from '../../../../src/graph/values/complete-value.ts';
import type { JsonSchema } from '../../../../src/graph/values/json-schema.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const n: JsonSchema = { properties: { n: { default: 1 } } };

describe('withDefaults', () => {
  test.each<[what: string, JsonSchema, Json, Json]>([
    ['a missing name', n, {}, { n: 1 }],
    ['but not for a member that is null', n, { n: null }, { n: null }],
    ['in a list', { items: n }, [{}, { n: 2 }], [{ n: 1 }, { n: 2 }]],
    ['in a member', { properties: { a: n } }, { a: {} }, { a: { n: 1 } }],
    ['in a referenced schema', { $ref: '#/$defs/n', $defs: { n } }, {}, { n: 1 }],
    ['in all schemas of allOf', { allOf: [n, { properties: { m: { default: 2 } } }] }, {}, { n: 1, m: 2 }],
    ['but not in a schema of anyOf', { anyOf: [n, {}] }, {}, {}],
    ['a default unchanged', { properties: { a: { ...n, default: {} } } }, {}, { a: {} }],
    ['a default of null', { properties: { n: { default: null } } }, {}, { n: null }],
    ['a name of a prototype', { properties: { constructor: { default: 1 } } }, {}, { constructor: 1 }],
    ['nothing to a value that is not an object', n, 'text', 'text'],
    ['nothing without a schema', true, {}, {}],
  ])('missing defaults of a JSON schema are added to a value: %s', (...[, schema, value, expected]) => {
    expect(addDefaults(value, schema)).toEqual(expected);
  });

  test('adding defaults to a complete value returns it unchanged', () => {
    const value = { n: 2, list: [{ n: 3 }] };
    expect(addDefaults(value, { properties: { n: { default: 1 }, list: { items: n } } })).toBe(value);
  });
});

describe('withoutUnknown', () => {
  const closed: JsonSchema = { properties: { n: {} }, additionalProperties: false };
  test.each<[what: string, JsonSchema, Json, Json]>([
    ['a name that is not declared', closed, { n: 1, m: 2 }, { n: 1 }],
    ['an undeclared name in a list', { items: closed }, [{ m: 2 }], [{}]],
    ['no name if more is declared beside a reference', { $ref: '#/$defs/c', $defs: { c: closed } }, { m: 2 }, { m: 2 }],
    [
      'an undeclared name behind a reference',
      { ...closed, properties: { n: { $ref: '#' } } },
      { n: { m: 2 } },
      { n: {} },
    ],
    ['no name of an open object', n, { m: 2 }, { m: 2 }],
    ['no name that patterns may declare', { ...closed, patternProperties: { m: {} } }, { m: 2 }, { m: 2 }],
    ['no name that other schemas may declare', { ...closed, allOf: [{ properties: { m: {} } }] }, { m: 2 }, { m: 2 }],
  ])('removing members that a JSON schema does not declare: %s', (...[, schema, value, expected]) => {
    expect(removeUnknownNames(value, schema)).toEqual(expected);
  });
});
