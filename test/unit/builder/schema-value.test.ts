import { describe, expectTypeOf, test } from 'vitest';
import type { SchemaValue } from '../../../src/builder/schema-value.ts';
import type { Json } from '../../../src/graph/values/json.ts';

describe('SchemaValue', () => {
  test('a channel’s TypeScript type is inferred from schemas of simple types', () => {
    expectTypeOf<SchemaValue<{ type: 'string' }>>().toEqualTypeOf<string>();
    expectTypeOf<SchemaValue<{ type: 'number' }>>().toEqualTypeOf<number>();
    expectTypeOf<SchemaValue<{ type: 'integer' }>>().toEqualTypeOf<number>();
    expectTypeOf<SchemaValue<{ type: 'boolean' }>>().toEqualTypeOf<boolean>();
    expectTypeOf<SchemaValue<{ type: 'null' }>>().toEqualTypeOf<null>();
    expectTypeOf<SchemaValue<{ type: readonly ['number', 'null'] }>>().toEqualTypeOf<number | null>();
  });

  test('a channel’s TypeScript type is inferred from schemas of constants', () => {
    expectTypeOf<SchemaValue<{ const: 3 }>>().toEqualTypeOf<3>();
    expectTypeOf<SchemaValue<{ type: 'string'; enum: readonly ['a', 'b'] }>>().toEqualTypeOf<'a' | 'b'>();
  });

  test('a channel’s TypeScript type is inferred from schemas of lists', () => {
    expectTypeOf<SchemaValue<{ type: 'array' }>>().toEqualTypeOf<readonly Json[]>();
    expectTypeOf<SchemaValue<{ type: 'array'; items: { type: 'string' } }>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<SchemaValue<{ type: 'array'; prefixItems: readonly []; items: { type: 'string' } }>>().toEqualTypeOf<
      readonly Json[]
    >();
  });

  test('a channel’s TypeScript type is inferred from schemas of objects, which are open by default', () => {
    type Order = { number: { type: 'string' }; total: { type: 'number' } };
    type Open = SchemaValue<{ type: 'object'; properties: Order; required: readonly ['number'] }>;
    type Closed = SchemaValue<{ type: 'object'; properties: Order; additionalProperties: false }>;
    expectTypeOf({ number: 'A-1', note: true }).toExtend<Open>();
    expectTypeOf({ total: 1 }).not.toExtend<Open>();
    expectTypeOf({ number: 1 }).not.toExtend<Open>();
    expectTypeOf<Closed>().toExtend<{ readonly number?: string; readonly total?: number }>();
    expectTypeOf<keyof Closed>().toEqualTypeOf<'number' | 'total'>();
    expectTypeOf({}).toExtend<Closed>();
  });

  test('a channel’s TypeScript type has required members without a schema', () => {
    expectTypeOf({ id: 1 }).toExtend<SchemaValue<{ type: 'object'; required: readonly ['id'] }>>();
    expectTypeOf({}).not.toExtend<SchemaValue<{ type: 'object'; required: readonly ['id'] }>>();
  });

  test('a channel’s TypeScript type is Json for unknown schemas', () => {
    expectTypeOf<SchemaValue<true>>().toEqualTypeOf<Json>();
    expectTypeOf<SchemaValue<{ anyOf: readonly [{ type: 'string' }] }>>().toEqualTypeOf<Json>();
    expectTypeOf<SchemaValue<{ type: string }>>().toEqualTypeOf<Json>();
    expectTypeOf({}).toExtend<SchemaValue<{ type: 'object'; required: string[] }>>();
  });
});
