import { ActivityCancellationDetails } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import type { CallOutcome, CallTask } from '../../../../src/activities/calls/call-task.ts';
import type { CallBehavior } from '../../../../src/activities/calls/make-attempt.ts';
import { performCall } from '../../../../src/activities/calls/perform-call.ts';
import type { ModelCallRequest, ModelReply } from '../../../../src/graph/run/effect.ts';
import { aModelRequest, aPolicy, aTask } from '../../../support/builders/call-builders.ts';
import { anActivity, failureOf } from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

/* A call counts the tokens of all its attempts, whatever its outcome. */

const store = await useMemoryStore();

type Ask = () => Promise<ModelReply>;

let tasks = 0;
function aNewTask(): CallTask<ModelCallRequest> {
  const request = aModelRequest({ policy: aPolicy({ retry: { maxAttempts: 3 } }) });
  return { ...aTask({ key: `R1.ask.${++tasks}` }), request };
}

const usage = { inputTokens: 12, outputTokens: 3 };
const replies =
  (text = 'Hi'): Ask =>
  async () =>
    await Promise.resolve({ kind: 'model', text, toolCalls: [], finishReason: 'stop', usage });
const fails =
  (over: Partial<CallError> = {}): Ask =>
  async () =>
    await Promise.reject(new CallError('MODEL_FAILED', 'no use', { retryable: true, done: 'perhaps', usage, ...over }));

/** One attempt of an activity at a model call. */
async function attempt(task: CallTask<ModelCallRequest>, ask: Ask, activity = anActivity()): Promise<CallOutcome> {
  const kind: CallBehavior<ModelCallRequest> = { safety: () => 'idempotent', execute: ask };
  return await activity.run<[], CallOutcome, () => Promise<CallOutcome>>(
    async () => await performCall(store, kind, task),
  );
}

/** Calls a model that never answers. @returns once the model is called */
async function beginAttempt(task: CallTask<ModelCallRequest>, activity = anActivity()) {
  let asking: Promise<CallOutcome> | undefined;
  await new Promise<void>((resolve) => {
    const silent: Ask = async () => {
      resolve();
      return await new Promise(() => undefined);
    };
    asking = attempt(task, silent, activity);
  });
  return { asking };
}

/** Loses the worker during the model call, so that no one sees the time-out. */
async function lose(task: CallTask<ModelCallRequest>): Promise<void> {
  const { asking } = await beginAttempt(task);
  asking?.catch(() => undefined);
}

/** Shuts down the worker during the model call. */
async function shutDown(task: CallTask<ModelCallRequest>): Promise<void> {
  const activity = anActivity();
  const { asking } = await beginAttempt(task, activity);
  activity.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
  await expect(asking).rejects.toThrow('another attempt');
}

const times = (count: number): object => ({
  usage: { inputTokens: count * usage.inputTokens, outputTokens: count * usage.outputTokens },
});

describe('the tokens of attempts', () => {
  test('tokens used by failed attempts count when a later attempt succeeds', async () => {
    const task = aNewTask();
    expect(await failureOf(attempt(task, fails()))).toMatchObject({ details: [times(1)] });
    expect(await failureOf(attempt(task, fails()))).toMatchObject({ details: [times(2)] });
    expect(await attempt(task, replies())).toMatchObject({ reply: times(3), attempts: 3 });
    expect(await attempt(task, replies())).toMatchObject({ reply: times(3) });
  });

  test('used tokens count when all attempts fail', async () => {
    const task = aNewTask();
    await failureOf(attempt(task, fails()));
    await failureOf(attempt(task, fails({ usage: null })));
    const last = { nonRetryable: true, details: [times(2)] };
    expect(await failureOf(attempt(task, fails()))).toMatchObject(last);
    expect(await failureOf(attempt(task, fails()))).toMatchObject(last);
  });

  test.each([
    ['is lost with its worker', lose],
    ['leaves the call to another as its worker shuts down', shutDown],
  ])('the tokens of earlier attempts are counted when a later attempt %s', async (_what, interrupt) => {
    const task = aNewTask();
    await failureOf(attempt(task, fails()));
    await interrupt(task);
    await interrupt(task);
    expect(await attempt(task, replies())).toMatchObject({ reply: times(2) });
  });

  test('tokens do not count again after a person’s retry of the failed call', async () => {
    const task = aNewTask();
    expect(await failureOf(attempt(task, fails({ retryable: false })))).toMatchObject({ details: [times(1)] });
    expect(await attempt({ ...task, takeover: 1 }, replies())).toMatchObject({ reply: times(1) });
  });

  test('tokens of a reply that is too large are counted', async () => {
    const failure = await failureOf(attempt(aNewTask(), replies('x'.repeat(5_000_001))));
    expect(failure).toMatchObject({ type: 'PAYLOAD_TOO_LARGE', nonRetryable: true, details: [times(1)] });
  });

  test('a call has no token count where no provider has reported usage', async () => {
    const failure = await failureOf(attempt(aNewTask(), fails({ usage: null })));
    expect(failure.details?.[0]).not.toHaveProperty('usage');
  });
});
