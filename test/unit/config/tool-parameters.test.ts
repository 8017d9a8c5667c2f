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
  test("a tool's parameters are the input side of a zod schema", () => {
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

  test("a tool's parameters may be a schema of another library", () => {
    expect(parametersOf(foreign(() => ({ $schema: 'x', type: 'object' })))).toEqual({ type: 'object' });
  });

  test("a tool's parameters that are a JSON Schema are unchanged", () => {
    expect(parametersOf({ type: 'object', minProperties: 1 })).toEqual({ type: 'object', minProperties: 1 });
  });

  test("a tool's parameters leave regular expressions that take more than linear time to zod", () => {
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
    [
      'a schema of values that JSON can not represent',
      z.object({ at: z.date() }),
      /\/parameters: Date cannot be represented in JSON Schema/,
    ],
    [
      'a value that is no schema',
      { type: 'thing' },
      /\/parameters\/type: must be a schema of zod or a like library, or a JSON Schema: /,
    ],
    ['nothing', undefined, /\/parameters: must be a schema/],
    ['a schema that only validates', { '~standard': { version: 1, vendor: 'old' } }, /this version of old does not/],
    ['an invalid JSON Schema', foreign(() => ({ type: 'thing' })), /\/parameters\/type: must be a schema/],
    ['bytes', foreign(() => ({ default: new Uint8Array() })), /\/parameters: .*no JSON value/],
  ])("a tool's parameters may not be %s", (_what, parameters, message) => {
    expect(() => parametersOf(parameters)).toThrow(message);
  });
});
