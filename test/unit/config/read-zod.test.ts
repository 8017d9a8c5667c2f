import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Parameters } from '../../../src/config/tool-parameters.ts';
import type { ParsedParameters } from '../../../src/config/tool-parameters.ts';

const read = (schema: unknown): ParsedParameters => Parameters.parse(schema);

interface Node {
  readonly v: string;
  readonly next?: Node | undefined;
}
const recursive: z.ZodType<Node> = z.object({
  v: z.string(),
  get next() {
    return recursive.optional();
  },
});

describe('a schema of zod', () => {
  test.each<[string, z.ZodType]>([
    ['values', z.object({ a: z.string().min(1), b: z.int().optional(), c: z.enum(['x']).nullable() })],
    ['formats', z.object({ a: z.email(), b: z.iso.date(), c: z.uuid(), d: z.string().regex(/^A/) })],
    ['lists', z.object({ a: z.array(z.object({ b: z.boolean() })), t: z.tuple([z.string()]) })],
    [
      'options',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })]),
    ],
    ['values of several types', z.object({ a: z.union([z.string(), z.number()]) })],
    ['records', z.record(z.string(), z.unknown())],
    ['itself', recursive],
  ])('a zod schema that only describes %s is not run to read arguments', (_what, schema) => {
    expect(read(schema)).not.toHaveProperty('takes');
  });

  test.each<[string, z.ZodType]>([
    ['a default', z.object({ a: z.number().default(1) })],
    ['a transformation', z.object({ a: z.string().transform(Number) })],
    ['a pipe', z.object({ a: z.string().pipe(z.string()) })],
    ['a preprocessor', z.preprocess((a) => a, z.object({}))],
    ['a coercion', z.object({ a: z.coerce.number() })],
    ['a catch', z.object({ a: z.number().catch(1) })],
    ['a trim', z.object({ a: z.string().trim() })],
    ['a refinement', z.object({ a: z.string() }).refine(() => true)],
    ['a normalized URL', z.object({ a: z.url({ normalize: true }) })],
    ['options of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['merged objects', z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))],
    ['a nested default', z.object({ a: z.array(z.object({ b: z.string().default('') })) })],
  ])('a zod schema with %s is run to read arguments', (_what, schema) => {
    expect(read(schema)).toHaveProperty('takes');
  });

  test.each<[string, z.ZodType, unknown]>([
    ['an object refuses unknown names', z.object({ a: z.object({}) }), [true, false, false]],
    [
      'a strict object always refuses unknown names',
      z.strictObject({ a: z.strictObject({}) }),
      [undefined, false, false],
    ],
    ['a loose object accepts unknown names', z.looseObject({ a: z.looseObject({}) }), [undefined, {}, {}]],
    [
      'a preprocessor may read unknown names',
      z.preprocess((a) => a, z.object({ a: z.object({}) })),
      [undefined, undefined, undefined],
    ],
  ])('a zod schema decides how unknown names in arguments are treated: %s', (_what, schema, expected) => {
    const { parameters, strips } = read(schema);
    const inner = Object(parameters).properties.a;
    expect([strips, Object(parameters).additionalProperties, inner.additionalProperties]).toEqual(expected);
  });

  test('a zod schema describes the input of the tool’s code', () => {
    const { parameters, takes } = read(z.object({ a: z.number().default(1), b: z.string().transform(Number) }));
    expect(parameters).toMatchObject({ required: ['b'], properties: { b: { type: 'string' } } });
    expect(takes).toMatchObject({ required: ['a', 'b'], properties: { a: { type: 'number' }, b: {} } });
  });
});
