import { describe, expect, test } from 'vitest';
import { coerceToSchema, coerceAtPointers } from '../../../../../src/graph/nodes/tool-calls/coerce.ts';
import type { JsonSchema } from '../../../../../src/graph/values/json-schema.ts';
import type { Json } from '../../../../../src/graph/values/json.ts';
import { unitsSpent } from '../../../../../src/graph/values/meter.ts';
import { growthOf } from '../../../../support/readers/growth.ts';

const number = { type: 'number' };
const integer = { type: 'integer' };
const text = { type: 'string' };

describe('a number given as text', () => {
  test.each<[string, number]>([
    ['5', 5],
    ['-5', -5],
    ['0', 0],
    ['0.1', 0.1],
    ['1.50', 1.5],
    ['1e3', 1000],
    ['1E-3', 0.001],
    ['-2.5e+2', -250],
    ['9007199254740991', 9007199254740991],
    ['1e-300', 1e-300],
    ['0.0', 0],
  ])('a number that a model wrote as text is converted if no precision is lost: %s', (given, value) => {
    expect(coerceToSchema(given, number)).toBe(value);
  });

  test.each([
    '007',
    '+5',
    ' 5',
    '5 ',
    '.5',
    '5.',
    '0x10',
    '1_000',
    '1,5',
    '',
    'NaN',
    'Infinity',
    '1e999',
    '-1e999',
    '1e-400',
    '9007199254740993',
    '9007199254740993.0',
    '9007199254740992',
    '1e300',
    '12345678901234567890e0',
    '0.12345678901234567890123',
    '-0',
    '-0.0',
    'five',
  ])('a number that a model wrote as text stays text if precision would be lost: %j', (given) => {
    expect(coerceToSchema(given, number)).toBe(given);
  });

  test('a number that a model wrote as text stays text if the schema accepts text, or any value', () => {
    for (const schema of [
      text,
      {},
      true,
      undefined,
      { type: ['string', 'number'] },
      { enum: ['5', 5] },
      { const: '5' },
    ])
      expect(coerceToSchema('5', schema)).toBe('5');
    for (const schema of [{ anyOf: [number, text] }, { oneOf: [number, {}] }, { type: 'boolean' }, { type: 'null' }])
      expect(coerceToSchema('5', schema)).toBe('5');
  });
});

test.each<[string, Json]>([
  ['true', true],
  ['false', false],
  ['True', 'True'],
  ['1', '1'],
  ['', ''],
])('the text %j of a model becomes %j if a boolean is required', (given, value) => {
  expect(coerceToSchema(given, { type: 'boolean' })).toBe(value);
});

describe('the type that a schema requires is found', () => {
  const amount = { $defs: { amount: number, loop: { $ref: '#/$defs/loop' } } };

  test.each<[Json, JsonSchema, Json]>([
    ['5', { type: ['number', 'null'] }, 5],
    ['true', { type: ['integer', 'boolean'] }, true],
    ['7', { type: ['integer', 'boolean'] }, 7],
    ['5', { enum: [1, 5] }, 5],
    ['5', { const: 5 }, 5],
    ['5', { anyOf: [{ type: 'null' }, integer] }, 5],
    ['5', { oneOf: [{ type: 'boolean' }, number] }, 5],
    ['5', { allOf: [{ minimum: 1 }, number, integer] }, 5],
    ['5', { allOf: [number, text] }, '5'],
    ['5', { $ref: '#/$defs/amount', ...amount }, 5],
    ['5', { $ref: '#/$defs/loop', ...amount }, '5'],
    ['5', { $ref: '#/$defs/none/at/all', ...amount }, '5'],
    ['5', { $ref: 'https://example.com/amount' }, '5'],
    ['5', { $ref: '#/anyOf/1', anyOf: [text, number] }, 5],
    [{ n: '5' }, { properties: { n: { $ref: '#/$defs/amount' } }, ...amount }, { n: 5 }],
    [
      { n: '5', m: '6' },
      { properties: { n: text }, additionalProperties: number },
      { n: '5', m: 6 },
    ],
    [{ n: '5' }, { additionalProperties: false }, { n: '5' }],
    [{ n: '5' }, {}, { n: '5' }],
    [{ n: '5' }, { allOf: [{ properties: { n: number } }, { properties: { n: { minimum: 1 } } }] }, { n: 5 }],
    [{ n: '5', m: 'x' }, { oneOf: [{ properties: { n: number } }, { properties: { m: text } }] }, { n: 5, m: 'x' }],
    [{ n: '5' }, { anyOf: [{ properties: { n: number } }, { properties: { n: text } }] }, { n: '5' }],
    [['1', 'a', '2'], { items: number }, [1, 'a', 2]],
    [['1', '2', '3'], { prefixItems: [text], items: number }, ['1', 2, 3]],
    [['1'], { items: { anyOf: [{ type: 'boolean' }, integer] } }, [1]],
    [[{ n: ['5'] }], { items: { properties: { n: { items: number } } } }, [{ n: [5] }]],
    [{ constructor: '5', toString: '5' }, { properties: {} }, { constructor: '5', toString: '5' }],
    [5, text, 5],
    [null, number, null],
    [{ n: '5' }, text, { n: '5' }],
  ])('the argument text %j, converted by the schema %j, is %j', (...[given, schema, value]) => {
    expect(coerceToSchema(given, schema)).toEqual(value);
  });

  test('argument texts are converted in trees of any depth', () => {
    const schema = {
      $ref: '#/$defs/tree',
      $defs: { tree: { properties: { n: number, in: { $ref: '#/$defs/tree' } } } },
    };
    const nest = (n: Json, depth: number): Json => (depth === 0 ? { n } : { n, in: nest(n, depth - 1) });
    expect(coerceToSchema(nest('5', 40), schema)).toEqual(nest(5, 40));
  });
});

describe('texts at given pointers', () => {
  const given = { a: '5', b: ['true', '7'], 'c/~d': { e: '1' } };

  test('argument texts at given JSON pointers are converted, and others stay text', () => {
    expect(coerceAtPointers(given, new Set(['/a', '/b/0', '/c~1~0d/e']))).toEqual({
      a: 5,
      b: [true, '7'],
      'c/~d': { e: 1 },
    });
    expect(coerceAtPointers(given, new Set(['', '/b', '/x']))).toEqual(given);
    expect(coerceAtPointers('5', new Set(['']))).toBe(5);
  });

  test('argument texts at given JSON pointers stay text if they are neither numbers nor booleans', () => {
    expect(coerceAtPointers({ a: '007', b: 'yes' }, new Set(['/a', '/b']))).toEqual({ a: '007', b: 'yes' });
  });
});

describe('the time of converting tool arguments', () => {
  test.each<[string, (size: number) => Json]>([
    ['texts below a long name', (size) => ({ ['/'.repeat(size * 20)]: Array(size).fill('1') })],
    ['a number of many zeros', (size) => `0.${'0'.repeat(size * 10)}1${'0'.repeat(size * 10)}1`],
  ])('converting tool arguments takes time linear in their size: %s', (_what, given) => {
    const exponent = growthOf((size) => {
      const value = given(size);
      return () => coerceAtPointers(value, new Set(['/a', '']));
    });
    expect(exponent).toBeLessThan(1.5);
  });

  test('converting tool arguments charges a list of types for each text', () => {
    const before = unitsSpent();
    coerceToSchema(Array(100).fill('1'), { items: { type: Array(1_000).fill('number') } });
    expect(unitsSpent() - before).toBeGreaterThan(100_000);
  });
});
