import { describe, expect, test } from 'vitest';
import { functionCalls } from '../../../src/activities/tool-calls.ts';
import type { RegisteredFunction } from '../../../src/activities/registered-code.ts';
import { result } from '../../../src/activities/calls/run-code.ts';
import type { CallTask } from '../../../src/activities/calls/call-task.ts';
import type { CallReply, FunctionCallRequest } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aPolicy, aTask } from '../../support/builders/call-builders.ts';

const { signal } = new AbortController();

function aFunctionTask(over: Partial<FunctionCallRequest> = {}): CallTask<FunctionCallRequest> {
  const request = {
    kind: 'function',
    function: 'double',
    args: 21,
    effect: 'idempotent',
    policy: aPolicy(),
    ...over,
  } as const;
  return { ...aTask(), request };
}

async function callOf(execute: RegisteredFunction['execute']): Promise<CallReply> {
  return await functionCalls({ double: { effect: 'idempotent', execute } }).execute(aFunctionTask(), signal, {
    attempt: 1,
  });
}

describe('functionCalls', () => {
  test('a function call has the safety that its run has pinned', () => {
    const { safety } = functionCalls({});
    const { request } = aFunctionTask({ effect: 'unsafe' });
    expect(safety(request)).toBe('unsafe');
  });

  test('a marked result of a function is never interpreted as a command', async () => {
    const foreign = { update: { balance: 0 }, control: 'abort' };
    expect(await callOf(() => result(foreign))).toEqual({ kind: 'value', value: foreign, isPlain: true });
    expect(await callOf(async () => await Promise.resolve(result(null)))).toEqual({
      kind: 'value',
      value: null,
      isPlain: true,
    });
  });

  test('a configured function receives its arguments and the context of its call', async () => {
    const seen: unknown[] = [];
    await callOf((...given) => void seen.push(given));
    const principal = { sub: 'ann', roles: ['user'] };
    const logger: unknown = expect.objectContaining({ info: expect.any(Function) });
    const progress: unknown = expect.any(Function);
    expect(seen).toEqual([
      [21, { key: 'R1.pay.1', runId: 'R1', tenantId: 'acme', principal, attempt: 1, signal, logger, progress }],
    ]);
  });

  test.each<[string, RegisteredFunction['execute'], Json]>([
    ['a value synchronously', (args) => Number(args) * 2, 42],
    ['a promise', async (args) => Number(args) * 2, 42],
    ['nothing', () => undefined, null],
    ['a value that JSON converts', () => ({ at: new Date(0), gone: undefined }), { at: '1970-01-01T00:00:00.000Z' }],
  ])('a function may return %s', async (_what, execute, value) => {
    expect(await callOf(execute)).toEqual({ kind: 'value', value });
  });

  test('a function result that is no JSON fails, and the error names its path', async () => {
    const call = callOf(() => ({ list: [1, Number.NaN] }));
    await expect(call).rejects.toMatchObject({ code: 'FUNCTION_FAILED' });
    await expect(call).rejects.toThrow('/list/1');
  });

  test.each<[string, RegisteredFunction['execute']]>([
    [
      'synchronously',
      () => {
        throw new Error('out of range');
      },
    ],
    ['asynchronously', async () => await Promise.reject(new Error('out of range'))],
  ])('an error that a function throws %s is retryable', async (_when, execute) => {
    const failure = { code: 'FUNCTION_FAILED', message: 'out of range', retryable: true, done: 'perhaps' };
    await expect(callOf(execute)).rejects.toMatchObject(failure);
  });

  test.each(['triple', 'constructor'])(
    'a worker without the function %s names that function in the error',
    async (name) => {
      const calls = functionCalls({ double: { effect: 'idempotent', execute: () => 1 } });
      const call = calls.execute(aFunctionTask({ function: name }), signal, { attempt: 1 });
      await expect(call).rejects.toMatchObject({ code: 'FUNCTION_FAILED', retryable: false, done: 'no' });
    },
  );
});
