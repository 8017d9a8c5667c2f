import { describe, expect, test } from 'vitest';
import { compileJsonSchema, findSchemaProblems } from '../../../../src/graph/values/json-schema.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { unitsSpent } from '../../../../src/graph/values/meter.ts';
import { growthOf } from '../../../support/readers/growth.ts';

const objectOf = (size: number, member: (at: number) => Json): JsonObject =>
  Object.fromEntries(Array.from({ length: size }, (_, at) => [`m${at}`, member(at)]));

const unitsOf = (work: () => unknown): number => {
  const before = unitsSpent();
  work();
  return unitsSpent() - before;
};

describe('the time of a validation', () => {
  test.each<[string, (size: number) => { schema: JsonObject; value: Json }]>([
    [
      'a list of types',
      (size) => ({
        schema: { items: { type: [...Array(size * 4).fill('null'), 'number'] } },
        value: Array(size).fill(1),
      }),
    ],
    [
      'a list of types that does not fit',
      (size) => ({ schema: { items: { type: Array(size * 4).fill('null') } }, value: Array(size).fill(1) }),
    ],
    ['a constant', (size) => ({ schema: { items: { const: Array(size * 4).fill(0) } }, value: Array(size).fill(1) })],
    [
      'a long name in the schema',
      (size) => ({
        schema: { dependentRequired: { ['k'.repeat(size * 20)]: Array.from({ length: size }, (_, at) => `n${at}`) } },
        value: { ['k'.repeat(size * 20)]: 1 },
      }),
    ],
    [
      'a long name in the value',
      (size) => ({
        schema: { additionalProperties: { items: { type: 'string' } } },
        value: { ['/'.repeat(size * 20)]: Array(size).fill(1) },
      }),
    ],
  ])(
    'validating by a JSON schema takes time linear in the sizes of schema and value, not in their product: %s',
    (_what, given) => {
      const exponent = growthOf((size) => {
        const { schema, value } = given(size);
        return () => compileJsonSchema(schema)(value);
      });
      expect(exponent).toBeLessThan(1.5);
    },
  );

  test('validating a URI as long as the schema takes linear time', () => {
    const exponent = growthOf((size) => {
      const schema = { $id: `${'a'.repeat(size * 20)}/`, properties: { a: { $id: 'b' } } };
      return () => findSchemaProblems(schema);
    });
    expect(exponent).toBeLessThan(1.5);
  });
});

describe('the cost of a validation', () => {
  test('the cost of a JSON schema validation includes the keys of each object that it compares', () => {
    const schema = { items: { const: objectOf(1_000, () => 1) } };
    expect(unitsOf(() => compileJsonSchema(schema)(Array(100).fill({})))).toBeGreaterThan(100_000);
  });

  test('the cost of a JSON schema validation includes each key that it writes as text', () => {
    const list = [{ ['k'.repeat(16_000)]: 1 }];
    expect(unitsOf(() => compileJsonSchema({ uniqueItems: true })(list))).toBeGreaterThan(1_000);
  });

  test('the cost of a JSON schema validation includes the message of each violation', () => {
    const value = { ['k'.repeat(900)]: Array(500).fill(1) };
    const schema = { additionalProperties: { items: { type: 'string' } } };
    expect(unitsOf(() => compileJsonSchema(schema)(value))).toBeGreaterThan(500 * Math.ceil(900 / 16));
  });
});

describe('the cost of examining a schema', () => {
  test('the cost of examining a JSON schema includes each URI that it resolves', () => {
    const schema = { $id: `${'a'.repeat(300_000)}/`, properties: objectOf(200, () => ({ $id: 'b' })) };
    expect(findSchemaProblems(schema)).toMatchObject([{ isTooExpensive: true }]);
  });

  test('the cost of examining a JSON schema includes each anchor', () => {
    const schema = { $id: `${'a'.repeat(300_000)}/`, properties: objectOf(200, (at) => ({ $anchor: `a${at}` })) };
    expect(findSchemaProblems(schema)).toMatchObject([{ isTooExpensive: true }]);
  });

  test('the cost of examining a JSON schema includes each schema inside it', () => {
    const look = (size: number) => unitsOf(() => findSchemaProblems({ properties: objectOf(size, () => ({})) }));
    expect(look(1_100) - look(100)).toBeGreaterThan(40_000);
  });
});

test('a violation below a name that is too long is reported at the outer value', () => {
  const schema = { properties: { a: { additionalProperties: { type: 'string' } } } };
  const found = compileJsonSchema(schema)({ a: { ['k'.repeat(2_000)]: 1, b: 2 } });
  expect(found.map(({ path }) => path)).toEqual(['/a', '/a/b']);
});

test('a violation message names a type once, although the schema lists it twice', () => {
  const [found] = compileJsonSchema({ type: ['null', 'null', 'string', 'null'] })(1);
  expect(found?.message).toBe('must be of type null or string, not a number');
});

test('a duration in a JSON schema has a limited length', () => {
  const check = compileJsonSchema({ format: 'duration' });
  expect(check('P1Y2M3DT4H5M6S')).toEqual([]);
  expect(check(`P${'1'.repeat(100_000)}D`)).toHaveLength(1);
});

test.each([
  [{ $id: 'https://a.example/x/root', $defs: { n: { $id: 'n', type: 'number' } }, $ref: 'https://a.example/x/n' }],
  [{ $id: 'https://a.example/x/root', $defs: { n: { $id: '/n', type: 'number' } }, $ref: 'https://a.example/n' }],
  [{ $id: 'https://a.example', $defs: { n: { $id: '/n', type: 'number' } }, $ref: 'https://a.example/n' }],
  [{ $id: 'urn:x', $defs: { n: { $id: 'n', type: 'number' } }, $ref: 'urn:n' }],
])('the references of the JSON schema %j are resolved', (schema) => {
  expect(findSchemaProblems(schema)).toEqual([]);
  expect(compileJsonSchema(schema)('a')).toHaveLength(1);
});
