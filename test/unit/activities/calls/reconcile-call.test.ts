import { describe, expect, test } from 'vitest';
import type { CallOutcome, CallTask } from '../../../../src/activities/calls/call-task.ts';
import { reconcileCall } from '../../../../src/activities/calls/reconcile-call.ts';
import type { CallSafety } from '../../../../src/graph/definition/call-policy.ts';
import type { ToolCallRequest } from '../../../../src/graph/run/effect.ts';
import type { RunError } from '../../../../src/graph/values/errors.ts';
import { aPolicy, aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
import {
  anActivity,
  answers,
  createAttempt,
  failureOf,
  returns,
  scriptedTool,
} from '../../../support/doubles/scripted-tool.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const attempt = createAttempt(() => store);

let tasks = 0;
function aNewTask(effect: CallSafety): CallTask<ToolCallRequest> {
  const runId = `S${++tasks}`;
  return aTask({ runId, key: `${runId}.pay.1`, request: aToolRequest({ effect }) });
}

/** Reconciles a call. */
const reconcile = async (
  { key, takeover, node, runId, tenantId }: CallTask,
  over: { readonly heartbeatMs?: number; readonly givenUp?: RunError } = {},
): Promise<CallOutcome> =>
  await anActivity().run(async () =>
    reconcileCall(store, { key, takeover, node, runId, tenantId, called: 'tool:pay', heartbeatMs: 60_000, ...over }),
  );

const notMade = { type: 'CANCELED', nonRetryable: true, details: [{ callFailed: true }] };

test.each(['idempotent', 'keyed', 'unsafe'] as const)(
  'an %s call without an attempt is closed by the reconciliation: only a takeover makes it',
  async (safety) => {
    const task = aNewTask(safety);
    const tool = scriptedTool(returns('paid'));
    expect(await failureOf(reconcile(task))).toMatchObject(notMade);
    expect(await failureOf(reconcile(task))).toMatchObject(notMade);
    expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true });
    expect(tool.calls).toHaveLength(0);
    expect(await attempt(tool, { ...task, takeover: 1 })).toMatchObject({ reply: { value: 'paid' } });
  },
);

test('a refused call that waits for its next attempt is closed by the reconciliation', async () => {
  const task = aNewTask('unsafe');
  const tool = scriptedTool(answers(429), returns('paid'));
  expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: false });
  expect(await failureOf(reconcile(task))).toMatchObject(notMade);
  expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true });
  expect(tool.calls).toHaveLength(1);
});

test('the reconciliation returns the result of a call that was made', async () => {
  const task = aNewTask('unsafe');
  await attempt(scriptedTool(returns('paid')), task);
  expect(await reconcile(task)).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
});

test('a possibly executed call is reconciled as unknown, and stays unknown', async () => {
  const task = aNewTask('keyed');
  await failureOf(attempt(scriptedTool(answers(503)), task));
  const unknown = { type: 'UNKNOWN_OUTCOME', nonRetryable: true, message: expect.stringContaining('503') };
  expect(await failureOf(reconcile(task))).toMatchObject(unknown);
  expect(await failureOf(reconcile(task))).toMatchObject(unknown);
});

test('the reconciliation checks an open call again, and records an unknown outcome once its attempt is lost', async () => {
  const { key, takeover, node, runId, tenantId } = aNewTask('unsafe');
  const claim = {
    key,
    takeover: takeover,
    node,
    runId,
    tenantId,
    called: 'tool:pay',
    requestHash: 'x',
    scheduledAt: 1,
  };
  const at = new Date().toISOString();
  await store.ledger.claim({ ...claim, claim: 'c', at, journal: null }, () => ({ isGranted: true, failures: 0 }));
  const task = { ...aNewTask('unsafe'), key, runId };
  expect(await failureOf(reconcile(task))).toMatchObject({ type: 'IN_PROGRESS', nonRetryable: false });
  expect(await failureOf(reconcile(task, { heartbeatMs: 0 }))).toMatchObject({
    type: 'UNKNOWN_OUTCOME',
    nonRetryable: true,
  });
});

describe('a call that the server has timed out', () => {
  const givenUp = { code: 'TIMEOUT', message: 'No worker took it' } as const;

  test('a timed-out call without an attempt is closed with the reason: only a takeover makes it', async () => {
    const task = aNewTask('keyed');
    const tool = scriptedTool(returns('paid'));
    const closed = { type: 'TIMEOUT', nonRetryable: true, details: [{ callFailed: true, error: givenUp }] };
    expect(await failureOf(reconcile(task, { givenUp }))).toMatchObject(closed);
    expect(await failureOf(reconcile(task, { givenUp }))).toMatchObject(closed);
    expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true });
    expect(tool.calls).toHaveLength(0);
    expect(await attempt(tool, { ...task, takeover: 1 })).toMatchObject({ reply: { value: 'paid' } });
  });

  test('a timed-out call fails as its last attempt has recorded', async () => {
    const task = aTask({
      ...aNewTask('keyed'),
      request: aToolRequest({ policy: aPolicy({ retry: { maxAttempts: 1 } }) }),
    });
    const recorded = await failureOf(attempt(scriptedTool(answers(503)), task));
    expect(recorded).toMatchObject({ type: 'TOOL_FAILED', details: [{ callFailed: false }] });
    const { type, message, details } = await failureOf(reconcile(task, { givenUp }));
    expect({ type, message, details }).toEqual({ type, message, details: recorded.details });
  });

  test('a timed-out call that waits for its next attempt is unknown if it was possibly executed, and no later attempt makes it', async () => {
    const task = aNewTask('keyed');
    const tool = scriptedTool(answers(503), returns('paid'));
    await failureOf(attempt(tool, task));
    const message = expect.stringContaining('It was given up after an attempt that may have made it');
    expect(await failureOf(reconcile(task, { givenUp }))).toMatchObject({ type: 'UNKNOWN_OUTCOME', message });
    expect(await failureOf(attempt(tool, task))).toMatchObject({ type: 'UNKNOWN_OUTCOME' });
    expect(tool.calls).toHaveLength(1);
  });
});
