import { describe, expect, test } from 'vitest';
import { toolCalls } from '../../../src/activities/tool-calls.ts';
import { CallError } from '../../../src/activities/calls/call-error.ts';
import type { Tool, ToolContext } from '../../../src/activities/tools/tool.ts';
import type { CallReply } from '../../../src/graph/run/effect.ts';
import type { Principal } from '../../../src/graph/run/principal.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aTask, aTool, aToolRequest } from '../../support/builders/call-builders.ts';

const { signal } = new AbortController();

async function callOf(tool: Tool, args: Json = {}): Promise<CallReply> {
  return await toolCalls({ [tool.name]: tool }).execute(aTask({ request: aToolRequest({ args }) }), signal, {
    attempt: 1,
  });
}

describe('toolCalls', () => {
  test('a tool call has the safety that its run has pinned', () => {
    const { safety } = toolCalls({});
    const request = aToolRequest({ tool: 'charge', effect: 'unsafe' });
    expect(safety(request)).toBe('unsafe');
  });

  test('a tool receives its arguments and the context of its call', async () => {
    const seen: [Json, ToolContext][] = [];
    const tool = aTool({ execute: async (args, context) => seen.push([args, context]) });
    await callOf(tool, { order: 7 });
    const principal = { sub: 'ann', roles: ['user'] };
    const logger: unknown = expect.objectContaining({ info: expect.any(Function) });
    const means = {
      progress: expect.any(Function),
      prepare: expect.any(Function),
      keepFile: expect.any(Function),
      attachFile: expect.any(Function),
    };
    expect(seen).toEqual([
      [
        { order: 7 },
        { key: 'R1.pay.1', runId: 'R1', tenantId: 'acme', principal, attempt: 1, signal, logger, ...means },
      ],
    ]);
  });

  test('the return value of a tool is its reply, as JSON', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const tool = aTool({ execute: async () => ({ at: at.toJSON(), n: 1 }) });
    expect(await callOf(tool)).toEqual({ kind: 'value', value: { at: '2026-01-02T03:04:05.678Z', n: 1 } });
  });

  test('files that a tool attaches are in the reply, beside a result whose schema has no place for them', async () => {
    const file = { type: 'image', blob: 'B1', mediaType: 'image/png' } as const;
    const result = { type: 'object', additionalProperties: false };
    const tool = aTool({
      result,
      execute(_args, { attachFile }) {
        attachFile(file);
        return {};
      },
    });
    expect(await callOf(tool)).toEqual({ kind: 'value', value: {}, files: [file] });
  });

  test('tool arguments that the current schema would change are refused', async () => {
    const tool = aTool({ read: async () => await Promise.resolve({ order: 8 }), execute: () => expect.unreachable() });
    const refused = { code: 'INVALID_TOOL_ARGUMENTS', retryable: false, done: 'no' };
    await expect(callOf(tool, { order: 7 })).rejects.toMatchObject(refused);
  });

  test('tool arguments that the tool’s schema has already parsed are unchanged', async () => {
    const tool = aTool({ takes: { required: ['order'] }, read: () => expect.unreachable(), execute: (args) => args });
    const calls = toolCalls({ pay: tool });
    const call = async (args: Json) =>
      await calls.execute(aTask({ request: aToolRequest({ args, isRead: true }) }), signal, { attempt: 1 });
    expect(await call({ order: 8 })).toEqual({ kind: 'value', value: { order: 8 } });
    await expect(call({})).rejects.toMatchObject({ code: 'INVALID_TOOL_ARGUMENTS' });
  });

  test('a tool without a return value gives the result null', async () => {
    const tool = aTool({ execute: async () => Reflect.get({}, 'nothing') });
    expect(await callOf(tool)).toEqual({ kind: 'value', value: null });
  });

  test('a tool result must match the declared result schema', async () => {
    const tool = aTool({ result: { type: 'object', required: ['n'] }, execute: async (args) => args });
    expect(await callOf(tool, { n: 1 })).toEqual({ kind: 'value', value: { n: 1 } });
    const failure = { code: 'TOOL_FAILED', retryable: false, done: 'perhaps' };
    await expect(callOf(tool, { m: 1 })).rejects.toMatchObject(failure);
    await expect(callOf(tool, { m: 1 })).rejects.toThrow(`The result of ${tool.name} breaks its schema at /`);
  });

  test.each(['charge', 'constructor', '__proto__'])(
    'a worker without the tool %s names that tool in the error',
    async (tool) => {
      const calls = toolCalls({ pay: aTool({ execute: async () => null }) });
      const call = calls.execute(aTask({ request: aToolRequest({ tool }) }), signal, { attempt: 1 });
      await expect(call).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND', retryable: false, done: 'no' });
    },
  );

  const callUnder = async (approval: Tool['approval'], isApproved: boolean): Promise<CallReply> => {
    const tool = aTool({ approval, execute: () => 'paid' });
    const request = aToolRequest({ args: { amount: 7 }, ...(isApproved && { isApproved }) });
    return await toolCalls({ pay: tool }).execute(aTask({ request }), signal, { attempt: 1 });
  };

  test.each<Tool['approval']>(['always', { when: 'args.amount > 5' }, { when: 'args.missing.x' }])(
    'a tool that now requires an approval by the policy %j is not called without one',
    async (approval) => {
      const refused = { code: 'APPROVAL_REQUIRED', retryable: false, done: 'no' };
      await expect(callUnder(approval, false)).rejects.toMatchObject(refused);
      expect(await callUnder(approval, true)).toMatchObject({ value: 'paid' });
    },
  );

  test.each<Tool['approval']>(['never', { when: 'args.amount > 50' }])(
    'a tool call with the approval policy %j requires no approval',
    async (approval) => {
      expect(await callUnder(approval, false)).toMatchObject({ value: 'paid' });
    },
  );

  test.each([
    ['idempotent', 'unsafe', 'unsafe'],
    ['unsafe', 'idempotent', 'unsafe'],
    ['keyed', 'idempotent', 'keyed'],
    ['idempotent', 'keyed', 'keyed'],
  ] as const)('of a pinned safety %s and a configured safety %s the stricter one counts', (effect, live, expected) => {
    const tool = aTool({ effect: live, execute: () => null });
    expect(toolCalls({ pay: tool }).safety(aToolRequest({ effect }))).toBe(expected);
  });

  test('arguments that violate the tool’s parameters are not passed to the tool', async () => {
    const parameters = { type: 'object', properties: { order: { type: 'integer' } } } as const;
    const tool = aTool({ parameters, execute: () => expect.unreachable() });
    const call = callOf(tool, { order: 'seven' });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_TOOL_ARGUMENTS', retryable: false, done: 'no' });
    await expect(call).rejects.toThrow(/pay break its parameters at \/order/);
  });

  test.each<[string, readonly string[] | undefined, readonly string[]]>([
    ['anybody', undefined, []],
    ['a user with one of its roles', ['support', 'user'], ['user']],
    ['an admin', ['support'], ['admin']],
    ['an admin when no other role may', [], ['admin']],
  ])('a tool with roles is called in runs of %s', async (_whose, roles, held) => {
    const tool = aTool({ roles, execute: () => 'paid' });
    const task = aTask({ createdBy: { sub: 'ann', roles: held } });
    expect(await toolCalls({ pay: tool }).execute(task, signal, { attempt: 1 })).toMatchObject({ value: 'paid' });
  });

  test.each<[readonly string[], readonly string[], string]>([
    [['support', 'billing'], ['user'], 'a principal with the role support or billing; this run belongs to ann (user)'],
    [['support'], [], 'a principal with the role support; this run belongs to ann (no roles)'],
    [[], ['user'], 'a principal with the role admin'],
  ])('a tool for the roles %j is not called in runs of users with the roles %j', async (roles, held, message) => {
    const tool = aTool({ roles, execute: () => expect.unreachable() });
    const call = toolCalls({ pay: tool }).execute(aTask({ createdBy: { sub: 'ann', roles: held } }), signal, {
      attempt: 1,
    });
    await expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false, done: 'no' });
    await expect(call).rejects.toThrow(message);
  });

  test('a tool with roles is called only if everyone who has changed the run has one of them', async () => {
    const tool = aTool({ roles: ['support'], execute: () => 'paid' });
    const eva: Principal = { sub: 'eva', roles: ['support'] };
    const ben: Principal = { sub: 'ben', roles: ['user'] };
    const callAfter = (...shapedBy: Principal[]) =>
      toolCalls({ pay: tool }).execute(aTask({ createdBy: eva, shapedBy }), signal, { attempt: 1 });
    expect(await callAfter(eva)).toMatchObject({ value: 'paid' });
    await expect(callAfter(eva, ben)).rejects.toThrow('this run was changed by ben (user)');
  });

  test('an error thrown by a tool is retryable', async () => {
    const cause = new Error('out of paper');
    const tool = aTool({ execute: async () => await Promise.reject(cause) });
    const failure = { code: 'TOOL_FAILED', message: 'out of paper', retryable: true, done: 'perhaps', cause };
    await expect(callOf(tool)).rejects.toMatchObject(failure);
  });

  test('an error that a tool throws synchronously is retryable', async () => {
    const tool = aTool({
      execute() {
        throw new Error('out of paper');
      },
    });
    await expect(callOf(tool)).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: true, done: 'perhaps' });
  });

  test('a tool’s error that is already classified is unchanged', async () => {
    const refused = new CallError('TOOL_FAILED', 'no', { retryable: false, done: 'no' });
    await expect(callOf(aTool({ execute: async () => await Promise.reject(refused) }))).rejects.toBe(refused);
  });
});
