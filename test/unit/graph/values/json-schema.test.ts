import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileJsonSchema, findSchemaProblems } from '../../../../src/graph/values/json-schema.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { unitsSpent } from '../../../../src/graph/values/meter.ts';

describe('the check of a value', () => {
  test.each<[JsonObject | boolean, Json, string[]]>([
    [{ pattern: '^a+$' }, 'aa', []],
    [{ pattern: '^a+$' }, 'b', ['']],
    [{ patternProperties: { '^n': { type: 'number' } } }, { n1: 'x', m: 'x' }, ['/n1']],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [''],
    ],
    [{ uniqueItems: true }, [1, 2], []],
    [{ uniqueItems: false }, [1, 1], []],
    [{ uniqueItems: true }, 'text', []],
    [{ required: ['a'] }, {}, ['']],
    [{ properties: { a: { type: 'number' } } }, { toString: 1, constructor: 2, a: 3 }, []],
    [{ properties: { a: {} }, additionalProperties: false }, { valueOf: 1 }, ['/valueOf']],
    [true, 1, []],
    [false, 1, ['']],
  ])('validation by the JSON schema %j: %j has violations at %j', (...[schema, value, paths]) => {
    expect(compileJsonSchema(schema)(value).map(({ path }) => path)).toHaveLength(paths.length);
  });

  test.each<[string, JsonObject, Json, string, string]>([
    [
      'integer or null',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      'x',
      '',
      'must be of type integer or null, not a text',
    ],
    [
      'a small integer or null',
      { anyOf: [{ type: 'integer', maximum: 9 }, { type: 'null' }] },
      12,
      '',
      'must be at most 9',
    ],
    [
      'an object or null',
      { anyOf: [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, { type: 'null' }] },
      { a: 1 },
      '/a',
      'must be of type string, not a number',
    ],
    [
      'two kinds of objects',
      {
        anyOf: [
          { type: 'object', required: ['a'] },
          { type: 'object', required: ['b'] },
        ],
      },
      {},
      '',
      'must satisfy one of 2 schemas',
    ],
    ['schemas without a type', { anyOf: [{ const: 1 }, { type: 'null' }] }, 2, '', 'must satisfy one of 2 schemas'],
  ])('the violation of schema alternatives names what is expected: %s', (...[, schema, value, path, message]) => {
    expect(compileJsonSchema(schema)(value)).toMatchObject([{ path, message }]);
  });

  test('validation by a recursive JSON schema reports a value that is nested too deeply', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    expect(compileJsonSchema({ items: { $ref: '#' } })(deep)).toHaveLength(1);
  });
});

describe('the examination of a schema', () => {
  test.each([
    [{ type: 'object' }, 0],
    [true, 0],
    [7, 1],
    [{ pattern: '(' }, 1],
    [{ pattern: 7 }, 1],
    [{ patternProperties: 7 }, 1],
    [{ patternProperties: { x: 7 } }, 1],
    [{ properties: 7 }, 1],
    [{ $ref: '#/nowhere' }, 1],
    [{ $ref: '#' }, 1],
    [{ type: 'nope' }, 1],
    [{ $ref: '#/x/a', x: { a: { properties: { b: { $ref: '#/x/b' } } }, b: { pattern: '(' } } }, 1],
    [{ $ref: '#/x/a', x: { a: { items: { $ref: '#/x/b' } } } }, 1],
  ])('examining the JSON schema %j finds at least %i problems', (...[schema, count]) => {
    expect(Math.min(1, findSchemaProblems(schema).length)).toBe(count);
  });
});

describe('a reference in a schema', () => {
  const behindThen = JSON.parse('{"if":{"const":1},"then":{"$ref":"#"}}');

  test.each<[string, JsonObject, RegExp]>([
    ['that leads back to itself behind a condition', behindThen, /leads back to itself/],
    [
      'that leads back to itself beside a member',
      { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } },
      /leads back/,
    ],
    ['to another host', { $ref: 'https://example.com/schema' }, /Nothing is at/],
    ['to a dynamic anchor of another host', { $dynamicRef: 'http://example.com/#node' }, /anchor of this schema/],
    ['to a dynamic anchor that does not exist', { $dynamicRef: '#node' }, /anchor of this schema/],
    [
      'to one of several dynamic anchors',
      { $defs: { a: { $id: 'a', $dynamicAnchor: 'n' }, b: { $id: 'b', $dynamicAnchor: 'n' } }, $dynamicRef: '#n' },
      /that it has once/,
    ],
  ])('a reference in a JSON schema %s is a problem', (_what, schema, message) => {
    expect(findSchemaProblems(schema)).toMatchObject([{ message: expect.stringMatching(message) }]);
  });

  test.each<[JsonObject, Json, number]>([
    [{ $defs: { n: { type: 'number' } }, items: { $ref: '#/$defs/n' } }, [1, 'a'], 1],
    [{ $defs: { n: { $anchor: 'n', type: 'number' } }, $ref: '#n' }, 'a', 1],
    [
      { $dynamicAnchor: 'node', properties: { child: { $dynamicRef: '#node' }, n: { type: 'number' } } },
      { child: { n: 'x' } },
      1,
    ],
    [{ $id: 'https://a.example/root', $defs: { n: { $id: 'n', type: 'number' } }, $ref: 'n' }, 'a', 1],
    [{ definitions: { n: { type: 'number' } }, $ref: '#/definitions/n' }, 1, 0],
  ])('a reference in the JSON schema %j is followed to check %j', (...[schema, value, count]) => {
    expect(findSchemaProblems(schema)).toEqual([]);
    expect(compileJsonSchema(schema)(value)).toHaveLength(count);
  });
});

describe('the cost of a check', () => {
  const units = (schema: JsonObject, value: Json): number => {
    const before = unitsSpent();
    compileJsonSchema(schema)(value);
    return unitsSpent() - before;
  };

  test('the cost of a validation is linear in the depth of a tree, although each branch is tried twice', () => {
    const tree = (depth: number): Json => (depth === 0 ? 'leaf' : { left: tree(depth - 1) });
    const branch = { properties: { left: { $ref: '#/$defs/tree' } }, required: ['left'] };
    const schema = {
      $defs: { branch, tree: { anyOf: [{ type: 'integer' }, { $ref: '#/$defs/branch' }, { $ref: '#/$defs/branch' }] } },
      $ref: '#/$defs/tree',
    };
    expect(units(schema, tree(60))).toBeLessThan(10_000);
  });

  test('the cost of a validation is linear in the depth of a tree whose members are checked twice', () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)]);
    const schema = {
      $defs: { a: { items: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } },
      $ref: '#/$defs/a',
    };
    expect(units(schema, nested(80))).toBeLessThan(10_000);
  });

  test('the cost of a validation is the same for a schema that has been used, and for a value that was stored', () => {
    const twin = { a: [1, 'x'] };
    const list = [twin, twin, twin.a];
    const schema = (): JsonObject => ({
      $defs: { n: { items: { $ref: '#/$defs/n' }, pattern: 'y' } },
      $ref: '#/$defs/n',
    });
    const used = schema();
    units(used, list);
    expect(units(used, list)).toBe(units(schema(), list));
    expect(units(used, JSON.parse(JSON.stringify(list)))).toBe(units(schema(), list));
  });

  test('the cost of a validation is limited for a schema whose references form a long chain', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `d${at}`);
    const $defs = Object.fromEntries(names.map((name, at) => [name, { items: { $ref: `#/$defs/d${at + 1}` } }]));
    const schema = { $defs: { ...$defs, d5000: { type: 'number' } }, $ref: '#/$defs/d0' };
    expect(compileJsonSchema(schema)([[]])).toEqual([]);
  });

  test('a JSON schema validation that is too expensive ends with a violation', () => {
    const schema = { items: { anyOf: Array.from({ length: 200 }, (_, at) => ({ const: at })) } };
    const list = Array.from({ length: 50_000 }, () => 'x');
    const [violation] = compileJsonSchema(schema)(list);
    expect(violation).toMatchObject({ isTooExpensive: true, message: expect.stringContaining('too complex') });
    expect(units(schema, list)).toBeLessThan(2_010_000);
  });

  test('the cost of a validation is limited for a random value and a random schema', () => {
    const keyword = fc.constantFrom('allOf', 'anyOf', 'oneOf');
    const schema = fc
      .array(fc.tuple(keyword, fc.nat(11), fc.nat(11), fc.boolean()), { minLength: 12, maxLength: 12 })
      .map((levels): JsonObject => ({
        $defs: Object.fromEntries(
          levels.map(([combine, a, b, isDeep], at) => {
            const parts = [a, b].map((target) => ({ $ref: `#/$defs/d${target}` }));
            return [
              `d${at}`,
              isDeep
                ? { items: { [combine]: parts } }
                : { properties: { a: { [combine]: parts } }, unevaluatedItems: parts[0] ?? true },
            ];
          }),
        ),
        $ref: '#/$defs/d0',
      }));
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 8 }), (given, value) => {
        expect(findSchemaProblems(given)).toEqual([]);
        expect(units(given, JSON.parse(JSON.stringify(value)))).toBeLessThan(500_000);
      }),
    );
  });
});

test.each<[JsonObject, Json]>([
  [{ const: 1 }, 'secret-1'],
  [{ enum: ['a', 'b'] }, 'secret-1'],
  [{ type: 'number' }, 'secret-1'],
  [{ pattern: '^a$', minLength: 100, format: 'email' }, 'secret-1'],
  [{ additionalProperties: { type: 'number' }, not: {} }, { a: 'secret-1' }],
  [{ anyOf: [{ type: 'number' }], oneOf: [{ type: 'number' }] }, 'secret-1'],
  [{ uniqueItems: true, contains: { type: 'number' } }, ['secret-1', 'secret-1']],
  [{ propertyNames: { maxLength: 1 }, unevaluatedProperties: false }, { ab: 'secret-1' }],
])('the message about a violation of the schema %j contains nothing of the value', (...[schema, value]) => {
  const violations = compileJsonSchema(schema)(value);
  expect(violations.length).toBeGreaterThan(0);
  expect(JSON.stringify(violations)).not.toContain('secret-1');
});

test.each<[JsonObject, Json, boolean]>([
  [{ multipleOf: 0.1 }, 0.3, true],
  [{ multipleOf: 0.1 }, 0.35, false],
  [{ minLength: 2, maxLength: 2 }, '😀😀', true],
  [{ type: ['integer', 'null'] }, 1.5, false],
  [{ minimum: 1, maximum: 2, exclusiveMinimum: 0, exclusiveMaximum: 3 }, 3, false],
  [{ minItems: 2, maxItems: 3 }, [1], false],
  [{ minProperties: 1, maxProperties: 1 }, {}, false],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, false],
  [{ dependencies: { a: ['b'], c: { required: ['d'] } } }, { a: 1, b: 1, c: 1 }, false],
  [{ dependentSchemas: { a: { required: ['b'] } } }, { b: 1 }, true],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], true],
  [{ contains: { type: 'number' }, minContains: 2, maxContains: 2 }, [1, 'a', 2], true],
  [{ contains: { type: 'number' }, maxContains: 1 }, [1, 2], false],
  [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, true],
  [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { b: 1 }, false],
  [{ prefixItems: [true], unevaluatedItems: { type: 'number' } }, ['a', 'b'], false],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":1},"else":{"type":"number"}}'), null, false],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":1},"else":{"type":"number"}}'), 'a', true],
  [{ not: { type: 'string' } }, 'a', false],
  [{ oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'a', false],
  [{ format: 'date-time' }, '2026-01-01T00:00:00Z', true],
  [{ format: 'no-format' }, 'x', true],
])('the JSON schema %j accepts the value %j: %s', (...[schema, value, isValid]) => {
  expect(findSchemaProblems(schema)).toEqual([]);
  expect(compileJsonSchema(schema)(value).length === 0).toBe(isValid);
});
