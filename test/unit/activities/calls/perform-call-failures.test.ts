import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import type { CallOutcome, CallTask } from '../../../../src/activities/calls/call-task.ts';
import { fromNetwork } from '../../../../src/activities/calls/classify-failure.ts';
import { performCall } from '../../../../src/activities/calls/perform-call.ts';
import type { CallBehavior } from '../../../../src/activities/calls/make-attempt.ts';
import type { CallPolicy, RetryPolicy, CallSafety } from '../../../../src/graph/definition/call-policy.ts';
import type { CallReply, ToolCallRequest } from '../../../../src/graph/run/effect.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import { aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import {
  anActivity,
  answers,
  createAttempt,
  failureOf,
  held,
  returns,
  scriptedTool,
  throws,
} from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const attempt = createAttempt(() => store);

type Policy = Partial<Omit<CallPolicy, 'retry'>> & { retry?: Partial<RetryPolicy> };

let tasks = 0;
function aNewTask(effect: CallSafety, policy: Policy = {}): CallTask<ToolCallRequest> {
  const runId = `R${++tasks}`;
  return aTask({ runId, key: `${runId}.pay.1`, request: aToolRequest({ effect, policy: aPolicy(policy) }) });
}

const broken = throws(fromNetwork('TOOL_FAILED', Object.assign(new Error('reset'), { code: 'ECONNRESET' })));
const refused = throws(
  fromNetwork('TOOL_FAILED', Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })),
);
const blocked = throws(new CallError('BLOCKED_URL', 'blocked', { retryable: false, done: 'no' }));

describe('retries', () => {
  test('retries are counted over all attempts of a call, with growing delays', async () => {
    const task = aNewTask('keyed');
    const tool = scriptedTool(answers(503), answers(503), returns('paid'));
    const [first, second] = [await failureOf(attempt(tool, task)), await failureOf(attempt(tool, task))];
    expect([first, second]).toMatchObject([
      { type: 'TOOL_FAILED', nonRetryable: false, details: [{ callFailed: false, error: { attempts: 1 } }] },
      { type: 'TOOL_FAILED', nonRetryable: false, details: [{ callFailed: false, error: { attempts: 2 } }] },
    ]);
    expect(Number(first.nextRetryDelay)).toBeLessThan(Number(second.nextRetryDelay));
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' }, attempts: 3 });
  });

  test('retries end after the number of attempts in the retry policy', async () => {
    const task = aNewTask('keyed', { retry: { maxAttempts: 2 } });
    const tool = scriptedTool(answers(503), answers(503));
    await failureOf(attempt(tool, task));
    const last = await failureOf(attempt(tool, task));
    expect(last).toMatchObject({ nonRetryable: true, details: [{ error: { code: 'TOOL_FAILED', attempts: 2 } }] });
    expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true, message: last.message });
    expect(tool.calls).toHaveLength(2);
  });

  test('the attempts of a call are counted anew after a person’s retry', async () => {
    const task = aNewTask('keyed', { retry: { maxAttempts: 1 } });
    const tool = scriptedTool(answers(503), returns('paid'));
    expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true });
    expect(await attempt(tool, { ...task, takeover: 1 })).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
  });

  test('error codes excluded by the retry policy are not retried', async () => {
    const task = aNewTask('keyed', { retry: { nonRetryable: ['TIMEOUT', 'TOOL_FAILED'] } });
    expect(await failureOf(attempt(scriptedTool(answers(503)), task))).toMatchObject({ nonRetryable: true });
  });

  test('a retry waits at least as long as the server asks', async () => {
    const task = aNewTask('keyed', { retry: { initialMs: 10 } });
    const failure = await failureOf(attempt(scriptedTool(answers(503, { 'retry-after': '30' })), task));
    expect(failure).toMatchObject({ nonRetryable: false, nextRetryDelay: 30_000 });
  });

  test('a retry is reported with the last error and the time of the next attempt', async () => {
    const task = aNewTask('keyed', { retry: { initialMs: 3_600_000, maxMs: 3_600_000 } });
    await failureOf(attempt(scriptedTool(answers(503)), task));
    const [retrying] = await store.ledger.retrying(task.runId);
    expect(retrying).toMatchObject({
      node: 'pay',
      attempt: 2,
      lastError: { code: 'TOOL_FAILED', message: 'pay answered 503' },
    });
    expect(Date.parse(retrying?.nextAttemptAt ?? '')).toBeGreaterThan(Date.now());
  });

  test('retries are no longer reported once the call has ended', async () => {
    const task = aNewTask('keyed');
    const tool = scriptedTool(answers(503), returns('paid'));
    await failureOf(attempt(tool, task));
    await attempt(tool, task);
    expect(await store.ledger.retrying(task.runId)).toEqual([]);
  });
});

describe('an unsafe call', () => {
  test.each([
    ['408', answers(408)],
    ['425', answers(425)],
    ['429', answers(429)],
    ['a refused connection', refused],
  ])('an unsafe call is made again under its key after %s', async (_what, step) => {
    const task = aNewTask('unsafe');
    const tool = scriptedTool(step, returns('paid'));
    expect(await failureOf(attempt(tool, task))).toMatchObject({ type: 'TOOL_FAILED', nonRetryable: false });
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' }, attempts: 2 });
    expect(tool.calls.map(({ key }) => key)).toEqual([task.key, task.key]);
  });

  test.each([
    ['500', answers(500)],
    ['503', answers(503)],
    ['a 503 with Retry-After', answers(503, { 'retry-after': '1', 'x-should-retry': 'true' })],
    ['302', answers(302)],
    ['a broken connection', broken],
    ['an error of the tool’s code', throws(new Error('out of paper'))],
  ])('an unsafe call has an unknown outcome after %s, whatever its retry policy says', async (_what, step) => {
    const task = aNewTask('unsafe', { retry: { maxAttempts: 10 } });
    const tool = scriptedTool(step);
    const failure = {
      type: 'UNKNOWN_OUTCOME',
      nonRetryable: true,
      details: [{ callFailed: false, error: { cause: { code: 'TOOL_FAILED' } } }],
    };
    expect(await failureOf(attempt(tool, task))).toMatchObject(failure);
    expect(await failureOf(attempt(tool, task))).toMatchObject(failure);
    expect(tool.calls).toHaveLength(1);
  });

  test.each([
    ['400', answers(400), 'TOOL_FAILED'],
    ['409', answers(409), 'TOOL_FAILED'],
    ['a blocked URL', blocked, 'BLOCKED_URL'],
  ])('an unsafe call fails after %s', async (_what, step, code) => {
    const failure = await failureOf(attempt(scriptedTool(step), aNewTask('unsafe')));
    expect(failure).toMatchObject({ type: code, nonRetryable: true, details: [{ callFailed: true, error: { code } }] });
  });

  test('an unsafe call is known to have failed when every attempt was refused', async () => {
    const task = aNewTask('unsafe', { retry: { maxAttempts: 1 } });
    const failure = await failureOf(attempt(scriptedTool(answers(429)), task));
    expect(failure).toMatchObject({ type: 'TOOL_FAILED', nonRetryable: true, details: [{ callFailed: true }] });
  });
});

describe.each(['idempotent', 'keyed'] as const)('an %s call that has failed permanently', (safety) => {
  test.each([
    [503, false],
    [429, true],
    [400, true],
  ])('a call that failed permanently with status %i is known to have failed: %s', async (status, callFailed) => {
    const task = aNewTask(safety, { retry: { maxAttempts: 1 } });
    const failure = await failureOf(attempt(scriptedTool(answers(status)), task));
    expect(failure).toMatchObject({ nonRetryable: true, details: [{ callFailed }] });
  });
});

test.each(['idempotent', 'keyed'] as const)(
  'an %s call that an attempt possibly executed is not known to have failed, whatever later attempts return',
  async (safety) => {
    const task = aNewTask(safety, { retry: { maxAttempts: 3 } });
    const tool = scriptedTool(broken, refused, answers(400));
    for (const callFailed of [false, false, false])
      expect(await failureOf(attempt(tool, task))).toMatchObject({ details: [{ callFailed }] });
  },
);

describe('the time-out of an attempt', () => {
  test('a timed-out attempt is aborted, and another attempt follows', async () => {
    const task = aNewTask('keyed', { timeoutMs: 30 });
    const tool = scriptedTool(held().step, returns('paid'));
    const failure = { type: 'TIMEOUT', nonRetryable: false, details: [{ error: { code: 'TIMEOUT', attempts: 1 } }] };
    expect(await failureOf(attempt(tool, task))).toMatchObject(failure);
    expect(tool.calls[0]?.signal.aborted).toBe(true);
    expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' }, attempts: 2 });
  });

  test.each(['keyed', 'unsafe'] as const)(
    'a timed-out %s call may still complete when a compensation needs its result',
    async (safety) => {
      const task = { ...aNewTask(safety), isCompensable: true as const };
      const { step, begun, letGo } = held();
      const [tool, activity] = [scriptedTool(step), anActivity()];
      const call = attempt(tool, task, activity);
      await begun;
      activity.cancel();
      letGo('paid');
      expect(await call).toMatchObject({ reply: { value: 'paid' } });
      expect(tool.calls[0]?.signal.aborted).toBe(false);
    },
  );

  test.each([
    { before: [], status: 503, type: 'UNKNOWN_OUTCOME' },
    { before: [], status: 400, type: 'TOOL_FAILED' },
    { before: [answers(503)], status: 400, type: 'UNKNOWN_OUTCOME' },
  ])(
    'a timed-out call that could be compensated is not retried: $type after $status',
    async ({ before, status, type }) => {
      const task = { ...aNewTask('keyed'), isCompensable: true as const };
      const { step, begun, letGo } = held();
      const tool = scriptedTool(...before, (signal) => step(signal).then(() => answers(status)(signal)));
      for (const _ of before) await failureOf(attempt(tool, task));
      const activity = anActivity();
      const call = attempt(tool, task, activity);
      await begun;
      activity.cancel();
      letGo(null);
      expect(await failureOf(call)).toMatchObject({ type, nonRetryable: true });
    },
  );

  test('a call that could be compensated does not begin after the time-out of its attempt', async () => {
    const task = { ...aNewTask('keyed'), isCompensable: true as const };
    const [tool, activity] = [scriptedTool(returns('paid')), anActivity()];
    activity.cancel();
    await expect(attempt(tool, task, activity)).rejects.toBeInstanceOf(CancelledFailure);
    expect(tool.calls).toHaveLength(0);
  });

  test('an unsafe call whose attempt times out has an unknown outcome', async () => {
    const task = aNewTask('unsafe', { timeoutMs: 30 });
    const failure = await failureOf(attempt(scriptedTool(held().step), task));
    expect(failure).toMatchObject({ type: 'UNKNOWN_OUTCOME', details: [{ error: { cause: { code: 'TIMEOUT' } } }] });
  });
});

describe('the deadline of all attempts', () => {
  /** An attempt at a call that was scheduled this long ago. */
  const late = (agoMs: number) => anActivity({ scheduledTimestampMs: Date.now() - agoMs });

  test('the last attempt of a call ends at the deadline of all attempts', async () => {
    const task = aNewTask('keyed', { deadlineMs: 60_500 });
    const failure = await failureOf(attempt(scriptedTool(held().step), task, late(60_000)));
    expect(failure).toMatchObject({ type: 'TIMEOUT', nonRetryable: true });
    expect(failure.message).toContain('60500 ms');
  });

  test('a retry that would begin after the deadline of all attempts does not happen', async () => {
    const policy = { deadlineMs: 90_000, retry: { initialMs: 40_000 } };
    const [early, tooLate] = [aNewTask('keyed', policy), aNewTask('keyed', policy)];
    expect(await failureOf(attempt(scriptedTool(answers(503)), early, late(0)))).toMatchObject({ nonRetryable: false });
    expect(await failureOf(attempt(scriptedTool(answers(503)), tooLate, late(60_000)))).toMatchObject({
      nonRetryable: true,
    });
  });

  test.each(['keyed', 'unsafe'] as const)(
    'an %s call is not made after the deadline of all attempts',
    async (safety) => {
      const task = aNewTask(safety, { deadlineMs: 1_000 });
      const tool = scriptedTool(returns('paid'));
      const failure = await failureOf(attempt(tool, task, late(60_000)));
      expect(failure).toMatchObject({ type: 'TIMEOUT', nonRetryable: true });
      expect(tool.calls).toHaveLength(0);
    },
  );

  test('an attempt prevented by the deadline of all attempts is not counted', async () => {
    const task = aNewTask('keyed', { deadlineMs: 90_000 });
    const tool = scriptedTool(answers(503), answers(503), returns('paid'));
    await failureOf(attempt(tool, task, late(0)));
    await failureOf(attempt(tool, task, late(0)));
    const failure = await failureOf(attempt(tool, task, late(100_000)));
    expect(failure).toMatchObject({ type: 'TIMEOUT', details: [{ error: { attempts: 2 } }] });
    expect(await failureOf(attempt(tool, task, late(0)))).toMatchObject({ details: failure.details });
    expect(tool.calls).toHaveLength(2);
  });
});

describe('a cancellation', () => {
  test.each(['idempotent', 'keyed'] as const)('a cancellation aborts an %s call and ends it', async (safety) => {
    const task = aNewTask(safety);
    const { step, begun } = held();
    const [tool, activity] = [scriptedTool(step), anActivity()];
    const call = attempt(tool, task, activity);
    await begun;
    activity.cancel();
    await expect(call).rejects.toBeInstanceOf(CancelledFailure);
    expect(tool.calls[0]?.signal.aborted).toBe(true);
    expect(await failureOf(attempt(tool, task))).toMatchObject({ type: 'CANCELED', nonRetryable: true });
  });

  test('a canceled unsafe call has an unknown outcome', async () => {
    const { step, begun } = held();
    const [tool, activity] = [scriptedTool(step), anActivity()];
    const call = attempt(tool, aNewTask('unsafe'), activity);
    await begun;
    activity.cancel();
    expect(await failureOf(call)).toMatchObject({ type: 'UNKNOWN_OUTCOME', nonRetryable: true });
    expect(tool.calls[0]?.signal.aborted).toBe(true);
  });

  test.each([
    ['idempotent', 'WORKER_SHUTDOWN', { workerShutdown: true }],
    ['keyed', 'WORKER_SHUTDOWN', { workerShutdown: true }],
    ['keyed', 'NOT_FOUND', { notFound: true }],
    ['keyed', 'TIMED_OUT', { timedOut: true, notFound: true }],
  ] as const)(
    'an %s call canceled by something other than its run (%s) is left to another attempt, and the canceled attempt is not counted',
    async (safety, reason, why) => {
      const task = aNewTask(safety, { retry: { maxAttempts: 1 } });
      const { step, begun } = held();
      const [tool, activity] = [scriptedTool(step, returns('paid')), anActivity()];
      const call = attempt(tool, task, activity);
      await begun;
      activity.cancel(reason, new ActivityCancellationDetails(why));
      await expect(call).rejects.toThrow('another attempt');
      await expect(call).rejects.not.toHaveProperty('nonRetryable', true);
      expect(await attempt(tool, task)).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
    },
  );
});

describe('a database that is unavailable while a failure is recorded', () => {
  afterEach(() => vi.restoreAllMocks());

  /** Makes the next writes of a failure fail. */
  function breakTwice(): void {
    const away = async () => await Promise.reject(new DatabaseAwayError('no answer'));
    vi.spyOn(store.ledger, 'fail').mockImplementationOnce(away).mockImplementationOnce(away);
  }

  test('a known failure of an unsafe call stays known although the database is unavailable while it is recorded', async () => {
    const task = aNewTask('unsafe');
    const tool = scriptedTool(answers(422));
    breakTwice();
    const failure = { type: 'TOOL_FAILED', nonRetryable: true, details: [{ callFailed: true }] };
    expect(await failureOf(attempt(tool, task))).toMatchObject(failure);
    expect(await failureOf(attempt(tool, task))).toMatchObject(failure);
    expect(tool.calls).toHaveLength(1);
  });

  test('a call gets no more attempts than its policy allows although the database is unavailable', async () => {
    const task = aNewTask('keyed', { retry: { maxAttempts: 2 } });
    const tool = scriptedTool(answers(503), answers(503));
    breakTwice();
    expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: false });
    expect(await failureOf(attempt(tool, task))).toMatchObject({ details: [{ error: { attempts: 2 } }] });
    expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true });
    expect(tool.calls).toHaveLength(2);
  });

  test('a canceled call ends although the database is unavailable', async () => {
    const task = aNewTask('keyed');
    const { step, begun } = held();
    const [tool, activity] = [scriptedTool(step), anActivity()];
    const call = attempt(tool, task, activity);
    await begun;
    breakTwice();
    activity.cancel();
    await expect(call).rejects.toBeInstanceOf(CancelledFailure);
    expect(await failureOf(attempt(tool, task))).toMatchObject({ type: 'CANCELED', nonRetryable: true });
  });
});

describe('a reply that is no JSON', () => {
  test('a call whose reply is no JSON fails permanently and is not made again', async () => {
    const task = aTask({ runId: 'R0', key: 'R0.ask.1' });
    const usage = { inputTokens: NaN, outputTokens: 1 };
    const reply = { kind: 'model', text: '', toolCalls: [], finishReason: 'stop', usage } as const;
    const execute = vi.fn<() => Promise<CallReply>>(async () => reply);
    const kind: CallBehavior<ToolCallRequest> = { safety: () => 'idempotent', execute };
    const once = async () =>
      await anActivity().run<[], CallOutcome, () => Promise<CallOutcome>>(
        async () => await performCall(store, kind, task),
      );
    expect(await failureOf(once())).toMatchObject({ type: 'INTERNAL', nonRetryable: true });
    expect(await failureOf(once())).toMatchObject({ message: 'NaN at /usage/inputTokens is no JSON value' });
    expect(execute).toHaveBeenCalledTimes(1);
  });
});

describe('an error', () => {
  test('an error that is too long for a history is truncated', async () => {
    const failure = await failureOf(attempt(scriptedTool(throws(new Error('x'.repeat(5_000)))), aNewTask('keyed')));
    expect(failure.message).toHaveLength(1_000);
    expect(JSON.stringify(failure.details).length).toBeLessThan(4_300);
  });

  test('the error of a call contains the reason given by the called service', async () => {
    const reason = 'context_length_exceeded';
    const step = throws(new CallError('MODEL_FAILED', 'model answered 400', { retryable: false, done: 'no', reason }));
    const failure = await failureOf(attempt(scriptedTool(step), aNewTask('idempotent')));
    expect(failure.details).toMatchObject([{ error: { cause: { code: reason, message: 'model answered 400' } } }]);
  });
});
