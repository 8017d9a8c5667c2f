import { DefaultLogger } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { toolCalls } from '../../../../src/activities/tool-calls.ts';
import type { CallSlots } from '../../../../src/activities/calls/call-admission.ts';
import type { CallTask } from '../../../../src/activities/calls/call-task.ts';
import { fromCode } from '../../../../src/activities/calls/classify-failure.ts';
import type { CallBehavior } from '../../../../src/activities/calls/make-attempt.ts';
import { performCall } from '../../../../src/activities/calls/perform-call.ts';
import { performLocally } from '../../../../src/activities/calls/perform-locally.ts';
import type { ToolCallRequest } from '../../../../src/graph/run/effect.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import { answers, scriptedTool, throws } from '../../../support/doubles/scripted-tool.ts';
import type { Step } from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const FAILED = 'a call failed';
const TRIED_AGAIN = 'an attempt of a call failed; another follows';
const mistake = throws(fromCode('TOOL_FAILED', new TypeError('x is not a function')));
const call = { run: 'R1', node: 'pay', called: 'tool:pay', key: 'R1.pay.1' };
const stack = expect.stringMatching(/^at .*report-failure\.test\.ts:\d+/);

type Make = (kind: CallBehavior<ToolCallRequest>, task: CallTask<ToolCallRequest>) => Promise<unknown>;

const slots: CallSlots = { take: () => ({ kind: 'taken', giveBack: () => undefined }) };
const makeLocally: Make = async (kind, task) => await performLocally(slots, kind, task);
const make: Make = async (kind, task) => await performCall(store, kind, task);

/** Makes a failing call. @returns the log lines of its activity */
async function linesOf(
  makeCall: Make,
  script: readonly Step[],
  over: Partial<Pick<CallTask, 'key' | 'failedLocally' | 'hidesErrors'>> = {},
): Promise<Json[]> {
  const lines: Json[] = [];
  const logger = new DefaultLogger('WARN', ({ message, meta = {} }) => void lines.push([message, toJson(meta)]));
  const activity = new MockActivityEnvironment({ scheduledTimestampMs: Date.now() }, { logger });
  const kind = toolCalls({ pay: { ...scriptedTool(...script).tool, effect: 'idempotent' } });
  const request = aToolRequest({ effect: 'idempotent', policy: aPolicy({ retry: { initialMs: 1, maxAttempts: 2 } }) });
  const task = aTask({ request, ...over });
  await Promise.allSettled([activity.run(async () => await makeCall(kind, task))]);
  return lines;
}

describe.each([
  ['a local call', makeLocally],
  ['a call', make],
])('%s that fails', (_what, makeCall) => {
  test('a failed call is logged with its run, node, tool, attempt, and the location where code threw', async () => {
    const facts = { ...call, attempt: 1, code: 'TOOL_FAILED', message: 'x is not a function', stack };
    expect(await linesOf(makeCall, [mistake])).toEqual([[FAILED, expect.objectContaining(facts)]]);
  });

  test('a failed call is logged without the texts of its error if these may quote a redacted value', async () => {
    const lines = await linesOf(makeCall, [mistake], { key: 'R1.pay.2', hidesErrors: true });
    const facts = { ...call, key: 'R1.pay.2', attempt: 1, code: 'TOOL_FAILED', message: '[redacted]' };
    expect(lines).toEqual([[FAILED, expect.objectContaining(facts)]]);
    expect(JSON.stringify(lines)).not.toContain('is not a function');
  });
});

describe('a local call', () => {
  test('a local call that fails is logged at each attempt, with the time of the next attempt', async () => {
    const nextAttemptAt = expect.stringMatching(/Z$/);
    expect(await linesOf(makeLocally, [answers(503), answers(503)])).toEqual([
      [TRIED_AGAIN, expect.objectContaining({ ...call, attempt: 1, nextAttemptAt })],
      [FAILED, expect.objectContaining({ ...call, attempt: 2 })],
    ]);
  });

  test('a failed local call is not logged again by the activity that continues it', async () => {
    const failure = { error: { code: 'TOOL_FAILED', message: 'full', attempts: 1 }, callFailed: false } as const;
    const failedLocally = { failures: 1, failure, nextAttemptAt: new Date().toISOString() };
    expect(await linesOf(make, [], { failedLocally })).toEqual([]);
  });
});
