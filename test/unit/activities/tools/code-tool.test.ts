import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { createEnvironmentSecrets } from '../../../../src/activities/secrets.ts';
import { createCodeTool } from '../../../../src/activities/tools/code-tool.ts';
import type { CodeToolSettings } from '../../../../src/activities/tools/code-tool.ts';
import type { Tool } from '../../../../src/activities/tools/tool.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aContext } from '../../../support/builders/call-builders.ts';

const CANARY = 'canary-4711';

function aCodeTool(over: Partial<CodeToolSettings> & Pick<CodeToolSettings, 'execute'>): Tool {
  const plain = {
    name: 'pay',
    description: 'Pays',
    parameters: true,
    effect: 'unsafe',
    schema: null,
    secrets: [],
  } as const;
  const secrets = createEnvironmentSecrets({ PAY_KEY: CANARY });
  return createCodeTool({ ...plain, ...over }, { secrets, heartbeat: () => undefined });
}
const callOf = async (tool: Tool, args = {}, over = {}): Promise<unknown> => await tool.execute(args, aContext(over));

describe('a code tool', () => {
  test('a code tool without a schema receives unchanged arguments', async () => {
    expect(await callOf(aCodeTool({ execute: (args) => args }), { order: 7 })).toEqual({ order: 7 });
  });

  test.each<{ how: string; schema: z.ZodType; given: Json; read: Json }>([
    {
      how: 'as JSON, as people see them',
      schema: z.object({ day: z.iso.date().transform((day) => new Date(day)), euros: z.number().default(5) }),
      given: { day: '2026-01-02', more: 1 },
      read: { day: '2026-01-02T00:00:00.000Z', euros: 5 },
    },
    {
      how: 'also asynchronously',
      schema: z.string().transform(async (text) => await Promise.resolve(text.length)),
      given: 'abc',
      read: 3,
    },
  ])('a code tool’s schema parses its arguments, $how', async ({ schema, given, read }) => {
    const tool = aCodeTool({ schema, execute: () => expect.unreachable() });
    expect(await tool.read?.(given)).toEqual(read);
  });

  test.each<[string, z.ZodType, string]>([
    [
      'because of a nested member',
      z.object({ a: z.array(z.object({ 'b/c': z.literal(1) })) }),
      'break its parameters at /a/0/b~1c: ',
    ],
    ['as a whole', z.object({}).refine(() => false, 'too late'), 'break its parameters at /: too late'],
    [
      'because they are no JSON',
      z.object({}).transform(() => ({ a: [undefined] })),
      'no JSON of its arguments: undefined at /a/0',
    ],
  ])('a code tool is not called with arguments that its schema refuses %s', async (_where, schema, message) => {
    const read = aCodeTool({ schema, execute: () => expect.unreachable() }).read?.({ a: [{ 'b/c': 2 }] });
    await expect(read).rejects.toMatchObject({ code: 'INVALID_TOOL_ARGUMENTS', retryable: false, done: 'no' });
    await expect(read).rejects.toThrow(message);
  });

  test('a code tool receives the context of its call and the number of the attempt', async () => {
    const tool = aCodeTool({
      execute: (_, { key, runId, tenantId, principal, attempt }) => [key, runId, tenantId, principal.sub, attempt],
    });
    expect(await callOf(tool, {}, { attempt: 2 })).toEqual(['K1', 'R1', 'acme', 'ann', 2]);
  });

  test('a code tool logs no secret in any field', async () => {
    const lines: unknown[] = [];
    const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
    const error = new Error(`refused: ${CANARY}`);
    const tool = aCodeTool({
      secrets: ['PAY_KEY'],
      execute(_, { logger: own, secret }) {
        own.info({ euros: 5, sent: [{ key: secret('PAY_KEY') }], error }, `paid with ${secret('PAY_KEY')}`);
        own.warn(secret('PAY_KEY'));
      },
    });
    await callOf(tool, {}, { logger });
    expect(lines).toMatchObject([{ euros: 5, sent: [{}], error: { type: 'Error' } }, {}]);
    expect(JSON.stringify(lines)).not.toContain(CANARY);
  });
});

describe('the secrets of a code tool', () => {
  test('a code tool receives the secrets that it names', async () => {
    const tool = aCodeTool({ secrets: ['PAY_KEY'], execute: (_, { secret }) => secret('PAY_KEY') });
    expect(await callOf(tool)).toBe(CANARY);
  });

  test.each(['PAY_KEY', 'constructor'])(
    'a code tool does not receive a secret that it does not name: %s',
    async (name) => {
      const call = callOf(aCodeTool({ execute: (_, { secret }) => secret(name) }));
      await expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false });
      await expect(call).rejects.toThrow(`pay asks for the secret "${name}"`);
    },
  );

  test('unavailable secrets of a code tool prevent the call', async () => {
    const call = callOf(aCodeTool({ secrets: ['CRM_KEY'], execute: () => expect.unreachable() }));
    await expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false, done: 'no' });
  });

  test('secrets of a code tool that are resolved too late prevent the call', async () => {
    const tool = aCodeTool({ secrets: ['PAY_KEY'], execute: () => expect.unreachable() });
    const late = new CallError('TIMEOUT', 'late', { retryable: true, done: 'no' });
    await expect(tool.execute(null, aContext({ prepare: async () => await Promise.reject(late) }))).rejects.toBe(late);
  });

  test.each<[string, Error, object]>([
    ['an error', new Error(`401 for ${CANARY}`), { code: 'TOOL_FAILED', retryable: true, done: 'perhaps' }],
    [
      'an error that is classified',
      new CallError('TIMEOUT', `late ${CANARY}`, { retryable: false, done: 'no', retryAfterMs: 5 }),
      { code: 'TIMEOUT', retryable: false, done: 'no', retryAfterMs: 5 },
    ],
  ])('the secrets of a code tool are removed from %s', async (_what, error, expected) => {
    const tool = aCodeTool({
      secrets: ['PAY_KEY'],
      execute() {
        throw error;
      },
    });
    const thrown: unknown = await callOf(tool).catch((caught: unknown) => caught);
    expect(thrown).toMatchObject({ ...expected, message: error.message.replace(CANARY, '[secret]') });
    expect(thrown).not.toHaveProperty('cause', expect.anything());
  });
});
