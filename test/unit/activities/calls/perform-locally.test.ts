import { describe, expect, test, vi } from 'vitest';
import { toolCalls } from '../../../../src/activities/tool-calls.ts';
import type { CallSlot, CallSlots } from '../../../../src/activities/calls/call-admission.ts';
import type { LocalOutcome } from '../../../../src/activities/calls/call-task.ts';
import { performLocally } from '../../../../src/activities/calls/perform-locally.ts';
import type { CallPolicy, RetryPolicy } from '../../../../src/graph/definition/call-policy.ts';
import { aPolicy, aTask, aTool, aToolRequest } from '../../../support/builders/call-builders.ts';
import { anActivity, answers, held, returns, scriptedTool } from '../../../support/doubles/scripted-tool.ts';
import type { ScriptedTool } from '../../../support/doubles/scripted-tool.ts';

const seen = { givenBack: 0 };
const taken: CallSlot = { kind: 'taken', giveBack: () => void (seen.givenBack += 1) };
const refused: CallSlot = { kind: 'refused', retryAfterMs: 1_000 };

interface Made {
  readonly policy?: Partial<Omit<CallPolicy, 'retry'>> & { retry?: Partial<RetryPolicy> };
  readonly slot?: CallSlot;
  readonly activity?: ReturnType<typeof anActivity>;
}

const now = () => ({ scheduledTimestampMs: Date.now() });

async function make(
  { tool }: ScriptedTool,
  { policy = {}, slot = taken, activity = anActivity(now()) }: Made = {},
): Promise<LocalOutcome> {
  const slots: CallSlots = { take: () => slot };
  const request = aToolRequest({ effect: 'idempotent', execution: 'local', policy: aPolicy(policy) });
  return await activity.run<[], LocalOutcome, () => Promise<LocalOutcome>>(
    async () => await performLocally(slots, toolCalls({ [tool.name]: tool }), aTask({ request })),
  );
}

/** A tool that is idempotent in the worker's configuration. */
function idempotent(...script: Parameters<typeof scriptedTool>): ScriptedTool {
  const { tool, calls } = scriptedTool(...script);
  return { tool: { ...tool, effect: 'idempotent' }, calls };
}

const SOON = { retry: { initialMs: 1 } };

describe('a local call', () => {
  test('a local call takes a slot of its tenant, and has times of the worker’s clock', async () => {
    const [before, given] = [Date.now(), seen.givenBack];
    const outcome = await make(idempotent(returns({ paid: 7 })));
    expect(outcome).toMatchObject({
      kind: 'made',
      reply: { kind: 'value', value: { paid: 7 } },
      attempts: 1,
      bytes: 35,
    });
    expect(outcome.startedAt).toBeGreaterThanOrEqual(before);
    expect(outcome.endedAt).toBeGreaterThanOrEqual(outcome.startedAt);
    expect(seen.givenBack).toBe(given + 1);
  });

  test('a local call is retried within its local activity while the delay is short', async () => {
    const tool = idempotent(answers(503), answers(503), returns('paid'));
    expect(await make(tool, { policy: SOON })).toMatchObject({ kind: 'made', attempts: 3 });
    expect(tool.calls.map(({ attempt, key }) => [attempt, key])).toEqual([1, 2, 3].map((at) => [at, 'R1.pay.1']));
  });

  test('a local call fails permanently like any other call', async () => {
    const outcome = await make(idempotent(answers(400)));
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { callFailed: true, error: { code: 'TOOL_FAILED' } },
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
    });
  });

  test('a local call fails permanently when its attempts are used up', async () => {
    const policy = { retry: { initialMs: 1, maxAttempts: 2 } };
    const failure = { callFailed: false, error: { attempts: 2 } };
    expect(await make(idempotent(answers(503), answers(503)), { policy })).toMatchObject({ kind: 'failed', failure });
  });

  test('a local call fails at its own time-out, which counts as an attempt', async () => {
    const policy = { timeoutMs: 30, retry: { maxAttempts: 1 } };
    const failure = { error: { code: 'TIMEOUT' } };
    expect(await make(idempotent(held().step), { policy })).toMatchObject({ kind: 'failed', failure });
  });
});

describe('an activity continues a local call', () => {
  const left = { kind: 'left', failed: null, startedAt: expect.any(Number), endedAt: expect.any(Number) };
  const failed = { failures: 1, failure: { callFailed: false, error: { attempts: 1 } } };

  test('a local call whose next attempt has a long delay is continued by an activity, with its attempt count', async () => {
    const outcome = await make(idempotent(answers(503)));
    expect(outcome).toMatchObject({ kind: 'left', failed });
  });

  test('a local call that has failed several times is continued by an activity', async () => {
    const policy = { retry: { initialMs: 1, maxAttempts: 9 } };
    const tool = idempotent(answers(503), answers(503), answers(503));
    expect(await make(tool, { policy })).toMatchObject({ kind: 'left', failed: { failures: 3 } });
  });

  test('a local call that the worker no longer calls idempotent is not made, and an activity continues it', async () => {
    const tool = scriptedTool(returns('paid'));
    expect(await make(tool)).toEqual(left);
    expect(tool.calls).toHaveLength(0);
  });

  test('a local call whose tenant has no free slot is not made, and an activity continues it', async () => {
    const tool = idempotent(returns('paid'));
    expect(await make(tool, { slot: refused })).toEqual(left);
    expect(tool.calls).toHaveLength(0);
  });

  test('a local call that takes too long is continued by an activity; its attempt is aborted and does not count', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    const { step, begun } = held();
    const tool = idempotent(step);
    const outcome = make(tool, { policy: { timeoutMs: 10_000 } }).finally(() => vi.useRealTimers());
    await begun;
    vi.advanceTimersByTime(2_000);
    expect(await outcome).toEqual({ ...left, perhapsMade: true });
    expect(tool.calls[0]?.signal.aborted).toBe(true);
  });

  test('a local call whose worker shuts down is continued by an activity', async () => {
    const { step, begun } = held();
    const activity = anActivity(now());
    const outcome = make(idempotent(step), { activity });
    await begun;
    activity.cancel('WORKER_SHUTDOWN');
    expect(await outcome).toEqual({ ...left, perhapsMade: true });
  });

  test('a local call has an unknown outcome when its worker shuts down during an attempt after a refused one', async () => {
    const { step, begun } = held();
    const activity = anActivity(now());
    const policy = { retry: { initialMs: 1 } };
    const outcome = make(idempotent(answers(429), step), { activity, policy });
    await begun;
    activity.cancel('WORKER_SHUTDOWN');
    expect(await outcome).toMatchObject({ kind: 'left', failed, perhapsMade: true });
  });

  test('a local call whose worker shuts down before it is sent is not made, and an activity continues it', async () => {
    const { step, begun } = held();
    const activity = anActivity(now());
    const tool = aTool({
      effect: 'idempotent',
      execute: async (_args, { prepare, signal }) => await prepare(step(signal)),
    });
    const outcome = make({ tool, calls: [] }, { activity });
    await begun;
    activity.cancel('WORKER_SHUTDOWN');
    expect(await outcome).toEqual(left);
  });
});
