import { describe, expect, test } from 'vitest';
import { freeParameters } from '../../../../src/graph/definition/node-types/free-parameters.ts';
import { compileJsonSchema, findSchemaProblems } from '../../../../src/graph/values/json-schema.ts';
import type { JsonSchema } from '../../../../src/graph/values/json-schema.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const both = { a: { type: 'string' }, b: { type: 'number' } } as const;
const B_ONLY = { type: 'object', properties: { b: { type: 'number' } } };

describe('the parameters that are left beside the fixed argument a', () => {
  test.each<[string, JsonSchema, Json]>([
    ['of no object', true, true],
    ['are its properties', { type: 'object', properties: both }, B_ONLY],
    ['are required', { type: 'object', properties: both, required: ['a', 'b'] }, { ...B_ONLY, required: ['b'] }],
    ['need none', { type: 'object', properties: both, required: ['a'] }, B_ONLY],
    [
      'are in a combination',
      { type: 'object', properties: both, allOf: [{ required: ['a'] }], anyOf: [{ required: ['a', 'b'] }, true] },
      { ...B_ONLY, allOf: [{}], anyOf: [{ required: ['b'] }, true] },
    ],
    [
      'depend on it',
      { type: 'object', properties: both, dependentRequired: { a: ['b'], b: ['a'] } },
      { ...B_ONLY, dependentRequired: { b: [] }, required: ['b'] },
    ],
    [
      'are counted',
      { type: 'object', properties: both, minProperties: 2, maxProperties: 2 },
      { ...B_ONLY, minProperties: 1, maxProperties: 1 },
    ],
    [
      'are in a definition',
      { $ref: '#/$defs/args', $defs: { args: { type: 'object', properties: both, required: ['a'] } } },
      { ...B_ONLY, $defs: { args: { type: 'object', properties: both, required: ['a'] } } },
    ],
    [
      'refer to a property that is gone',
      { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } },
      {
        type: 'object',
        properties: { b: { $ref: '#/$defs/whole-0' } },
        $defs: { 'whole-0': { type: 'string' } },
      },
    ],
    [
      'repeat the whole schema inside',
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array', items: { $ref: '#' } } } },
      {
        type: 'object',
        properties: { b: { type: 'array', items: { $ref: '#/$defs/whole-0' } } },
        $defs: {
          'whole-0': {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'array', items: { $ref: '#/$defs/whole-0' } } },
          },
        },
      },
    ],
    [
      'have data of the same names',
      { type: 'object', properties: { b: { const: { required: ['a'], $ref: '#/x' } } } },
      { type: 'object', properties: { b: { const: { required: ['a'], $ref: '#/x' } } } },
    ],
  ])('the free parameters %s', (_what, parameters, free) => {
    const reduced = freeParameters(parameters, ['a']);
    expect(reduced).toEqual(free);
    expect(findSchemaProblems(reduced)).toEqual([]);
  });

  test('a reference to itself ends', () => {
    const endless = { $ref: '#/$defs/x', $defs: { x: { allOf: [{ $ref: '#/$defs/x' }, { required: ['a'] }] } } };
    expect(JSON.stringify(freeParameters(endless, ['a'])).length).toBeLessThan(20_000);
  });

  test('references that multiply are expanded up to a limit', () => {
    const levels = Array.from({ length: 15 }, (_unused, level) => [
      `l${level}`,
      {
        allOf: [
          { $ref: `#/$defs/l${level + 1}` },
          { $ref: `#/$defs/l${level + 1}` },
          { $ref: `#/$defs/l${level + 1}` },
        ],
      },
    ]);
    const bomb = { $ref: '#/$defs/l0', $defs: Object.fromEntries([...levels, ['l15', { required: ['a'] }]]) };
    expect(JSON.stringify(freeParameters(bomb, ['a'])).length).toBeLessThan(200_000);
  });

  test('a tool with many fixed arguments keeps the others', () => {
    const names = Array.from({ length: 2_000 }, (_unused, at) => `n${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, true]));
    const free = freeParameters({ type: 'object', properties, required: names }, names.slice(1));
    expect(free).toEqual({ type: 'object', properties: { n0: true }, required: ['n0'] });
    expect(compileJsonSchema(free)({ n0: 1 })).toEqual([]);
  });
});
