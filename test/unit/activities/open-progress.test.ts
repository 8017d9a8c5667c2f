import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_LOG } from '../../../src/activities/calls/call-logger.ts';
import type { CallLogger } from '../../../src/activities/calls/call-logger.ts';
import { createOpenProgress } from '../../../src/activities/open-progress.ts';
import { functionCalls, toolCalls } from '../../../src/activities/tool-calls.ts';
import type { LiveUpdate } from '../../../src/graph/journal/model-delta.ts';
import { aTask, aTool, aToolRequest } from '../../support/builders/call-builders.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAYING = { ...aTask({ request: aToolRequest({ tool: 'pay' }) }), visit: 2, path: ['outer'] };

function open(task: Parameters<ReturnType<typeof createOpenProgress>>[0] = PAYING) {
  const published: LiveUpdate[] = [];
  const warnings: unknown[] = [];
  const logger: CallLogger = { ...NO_LOG.child({}), warn: (message: unknown) => void warnings.push(message) };
  const openProgress = createOpenProgress((_runId, updates) => void published.push(...updates));
  return { ...openProgress(task, 3, logger), published, warnings, openProgress };
}

const valuesOf = (published: readonly LiveUpdate[]): unknown[] =>
  published.map((one) => ('value' in one ? one.value : null));

describe('the progress of a call', () => {
  test('the progress of a call says where the call stands in its run', () => {
    const { report, published } = open();
    report({ done: 1, of: 4 });
    const position = { node: PAYING.node, path: ['outer'], visit: 2, attempt: 3, callKey: PAYING.key, tool: 'pay' };
    expect(published).toEqual([{ ...position, value: { done: 1, of: 4 } }]);
  });

  test('the progress of a call is sent every 200 ms, the latest value each time', () => {
    const { report, close, published } = open();
    for (let value = 0; value < 100; value += 1) report(value);
    expect(valuesOf(published)).toEqual([0]);
    vi.advanceTimersByTime(200);
    expect(valuesOf(published)).toEqual([0, 99]);
    vi.advanceTimersByTime(1_000);
    report(100);
    report(101);
    close();
    report(102);
    vi.advanceTimersByTime(1_000);
    expect(valuesOf(published)).toEqual([0, 99, 100, 101]);
  });

  test.each<[string, unknown, RegExp]>([
    ['a value that is no JSON', Number.NaN, /left out/],
    ['no value', undefined, /left out/],
    ['a value over 4 KiB', 'x'.repeat(4_096), /4098 bytes, and may have 4096/],
  ])('the progress of a call leaves out, and logs, %s', (_what, value, warning) => {
    const { report, published, warnings } = open();
    report(value);
    report('fits');
    expect([valuesOf(published), warnings]).toEqual([['fits'], [expect.stringMatching(warning)]]);
  });

  test('a compensation reports its progress to nobody', () => {
    const { visit: _visit, ...task } = PAYING;
    const { report, published } = open(task);
    report(1);
    expect(published).toEqual([]);
  });
});

describe('the code of a call', () => {
  const { signal } = new AbortController();

  test('a tool reports progress until it ends, also by an error', async () => {
    const { openProgress, published } = open();
    const tool = aTool({
      execute(_args, { progress }) {
        progress('half');
        progress('most');
        throw new TypeError('broken');
      },
    });
    const task = { ...PAYING, request: aToolRequest({ tool: tool.name }) };
    const calls = toolCalls({ [tool.name]: tool }, NO_LOG, undefined, openProgress);
    await expect(calls.execute(task, signal, { attempt: 1 })).rejects.toThrow('broken');
    expect(valuesOf(published)).toEqual(['half', 'most']);
  });

  test('a function reports progress', async () => {
    const { openProgress, published } = open();
    const calls = functionCalls(
      { count: { effect: 'idempotent', execute: (_args, { progress }) => progress(1) } },
      NO_LOG,
      openProgress,
    );
    const request = {
      kind: 'function',
      function: 'count',
      args: {},
      effect: 'idempotent',
      policy: PAYING.request.policy,
    } as const;
    await calls.execute({ ...PAYING, request }, signal, { attempt: 1 });
    expect(published).toMatchObject([{ tool: 'count', value: 1 }]);
  });
});
