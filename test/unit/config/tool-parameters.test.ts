import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from '../../../src/config/load-config.ts';

function parametersOf(parameters: unknown): unknown {
  const tool = { name: 'pay', description: 'Pays', parameters, execute: () => null };
  return parseConfig('here', { tools: [tool] }).tools[0]?.parameters;
}

/** A schema of another library: those of `arktype` are functions. */
const foreign = (input: () => object) =>
  Object.assign(() => null, {
    '~standard': {
      version: 1,
      vendor: 'other',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input },
    },
  });

describe("a tool's parameters", () => {
  test('are the input side of a schema of zod', () => {
    const parameters = z.strictObject({
      order: z.string(),
      euros: z.number().default(5),
      day: z.iso.date().transform((day) => new Date(day)),
    });
    expect(parametersOf(parameters)).toEqual({
      type: 'object',
      properties: {
        order: { type: 'string' },
        euros: { type: 'number', default: 5 },
        day: expect.objectContaining({ type: 'string', format: 'date' }),
      },
      required: ['order', 'day'],
      additionalProperties: false,
    });
  });

  test('are those of another library', () => {
    expect(parametersOf(foreign(() => ({ $schema: 'x', type: 'object' })))).toEqual({ type: 'object' });
  });

  test('are a JSON Schema as it is', () => {
    expect(parametersOf({ type: 'object', minProperties: 1 })).toEqual({ type: 'object', minProperties: 1 });
  });

  test('leave patterns that take more than linear time to zod', () => {
    const parameters = z.object({ host: z.hostname(), pattern: z.string().regex(/^a+$/), rest: z.iso.duration() });
    expect(parametersOf(parameters)).toMatchObject({
      properties: {
        host: { type: 'string', format: 'hostname' },
        pattern: { type: 'string', pattern: '^a+$' },
        rest: { type: 'string', format: 'duration' },
      },
    });
    expect(JSON.stringify(parametersOf(parameters)).match(/"pattern":"/g)).toHaveLength(1);
  });

  test.each<[string, unknown, RegExp]>([
    ['what JSON can not hold', z.object({ at: z.date() }), /\/parameters: Date cannot be represented in JSON Schema/],
    [
      'what no schema is',
      { type: 'thing' },
      /\/parameters\/type: must be a schema of zod or a like library, or a JSON Schema: /,
    ],
    ['nothing', undefined, /\/parameters: must be a schema/],
    ['a schema that only checks', { '~standard': { version: 1, vendor: 'old' } }, /this version of old does not/],
    ['a wrong JSON Schema', foreign(() => ({ type: 'thing' })), /\/parameters\/type: must be a schema/],
    ['bytes', foreign(() => ({ default: new Uint8Array() })), /\/parameters: .*no JSON value/],
  ])('are not %s', (_what, parameters, message) => {
    expect(() => parametersOf(parameters)).toThrow(message);
  });
});
