import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../../src/graph/values/json.ts';
import { defineConfig, defineTool, tool } from '../../../src/index.ts';
import type { CodeToolContext } from '../../../src/index.ts';
import { Tool } from '../../../src/config/tool.ts';

const common = { name: 'pay', description: 'Pays' } as const;

describe('defineTool', () => {
  test('defineTool passes the parsed arguments of a zod schema to the tool’s code, as JSON', () => {
    const parameters = z.object({
      order: z.string(),
      euros: z.number().default(5),
      day: z.iso.date().transform((day) => new Date(day)),
      note: z.string().optional(),
    });
    const defined = defineTool({
      ...common,
      parameters,
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ order: string; euros: number; day: string; note?: string | undefined }>();
      },
    });
    expect(defined.parameters).toBe(parameters);
  });

  test('defineTool passes arguments that a JSON Schema accepts to the tool’s code', () => {
    const defined = defineTool({
      ...common,
      parameters: {
        type: 'object',
        properties: { order: { type: 'string' }, size: { enum: ['small', 'large'] } },
        required: ['order'],
        additionalProperties: false,
      },
      execute(args) {
        expectTypeOf(args.order).toEqualTypeOf<string>();
        expectTypeOf(args.size).toEqualTypeOf<'small' | 'large' | undefined>();
      },
    });
    defineTool({ ...common, parameters: true, execute: (args) => expectTypeOf(args).toEqualTypeOf<Json>() });
    expect(defined.name).toBe('pay');
  });

  test('the types of defineTool accept only code that fits the tool’s parameters', () => {
    const parameters = z.object({ order: z.string() });
    defineTool({
      ...common,
      parameters,
      execute: async ({ order }: { order: string }) => await Promise.resolve(order),
    });
    // @ts-expect-error an order is a text
    defineTool({ ...common, parameters, execute: ({ order }: { order: number }) => order });
    // @ts-expect-error there is no price
    defineTool({ ...common, parameters, execute: ({ price }) => price });
    // @ts-expect-error no such effect
    defineTool({ ...common, parameters, effect: 'harmless', execute: () => null });
    // @ts-expect-error a schema that can't be told to anybody
    expect(defineTool({ ...common, parameters: z.string, execute: () => null }).name).toBe('pay');
  });

  test('defineTool gives the tool’s code only the secrets that it lists', () => {
    const parameters = z.object({});
    defineTool({ ...common, parameters, secrets: ['PAY_KEY'], execute: (_, { secret }) => secret('PAY_KEY') });
    // @ts-expect-error another secret
    defineTool({ ...common, parameters, secrets: ['PAY_KEY'], execute: (_, { secret }) => secret('CRM_KEY') });
    // @ts-expect-error no secret is named
    expect(defineTool({ ...common, parameters, execute: (_, { secret }) => secret('PAY_KEY') }).name).toBe('pay');
  });
});

describe('@tool', () => {
  const parameters = z.object({ order: z.string(), euros: z.number().default(5) });

  test('the types of @tool accept only methods that fit the parameters', () => {
    class Desk {
      @tool({ description: 'Pays', parameters, secrets: ['PAY_KEY'] })
      pay({ order, euros }: z.output<typeof parameters>, { secret }: CodeToolContext) {
        return `${order}${euros}${secret('PAY_KEY')}`;
      }
      @tool({ description: 'Counts', parameters })
      count() {
        return 1;
      }
      // @ts-expect-error an order is a text
      @tool({ description: 'Finds', parameters })
      find({ order }: { order: number }) {
        return order;
      }
      // @ts-expect-error not for fields
      @tool({ description: 'Waits', parameters })
      wait = () => null;
    }
    expect(Desk.name).toBe('Desk');
  });
});

describe('a configuration', () => {
  test('a configuration accepts tools of all kinds under their own names', () => {
    const http = { name: 'find', description: 'Finds', parameters: true, method: 'GET', url: 'https://x/' } as const;
    const code = defineTool({ ...common, parameters: z.object({}), execute: () => null });
    class Desk {
      @tool({ description: 'Counts', parameters: true })
      count() {
        return 1;
      }
    }
    const config = defineConfig({ tools: [http, code, new Desk()] });
    // @ts-expect-error no such method
    defineConfig({ tools: [{ ...http, method: 'FETCH' }] });
    // @ts-expect-error no such field
    defineConfig({ tools: [{ ...http, header: {} }] });
    expect(config.tools).toHaveLength(3);
  });
});

describe('the result of a tool', () => {
  const resultOf = (result: unknown): unknown =>
    Tool.parse({ ...common, parameters: true, result, execute: () => null }).result;

  test('the result of a tool is declared by a schema library or a JSON Schema', () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    expect(resultOf(z.object({ n: z.number() }))).toMatchObject(schema);
    expect(resultOf(schema)).toEqual(schema);
    expect(resultOf(undefined)).toBeUndefined();
    expect(() => resultOf({ type: 'thing' })).toThrow('result');
  });
});
