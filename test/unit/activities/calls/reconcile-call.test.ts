import { expect, test } from 'vitest';
import type { CallOutcome, CallTask } from '../../../../src/activities/calls/call-task.ts';
import { reconcileCall } from '../../../../src/activities/calls/reconcile-call.ts';
import type { CallSafety } from '../../../../src/graph/definition/execution.ts';
import type { ToolCallRequest } from '../../../../src/graph/run/effect.ts';
import { aTask, aToolRequest } from '../../../support/builders/call-builders.ts';
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

/** Asks what has become of a call. */
const reconcile = async (
  { key, takeover, node, runId, tenantId }: CallTask,
  heartbeatMs = 60_000,
): Promise<CallOutcome> =>
  await anActivity().run(async () =>
    reconcileCall(store, { key, takeover, node, runId, tenantId, called: 'tool:pay', heartbeatMs }),
  );

const notMade = { type: 'CANCELED', nonRetryable: true, details: [{ callFailed: true }] };

test.each(['idempotent', 'keyed', 'unsafe'] as const)(
  'an %s call without an attempt is closed: only a takeover makes it',
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

test('a refused call that waits for another attempt is closed', async () => {
  const task = aNewTask('unsafe');
  const tool = scriptedTool(answers(429), returns('paid'));
  expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: false });
  expect(await failureOf(reconcile(task))).toMatchObject(notMade);
  expect(await failureOf(attempt(tool, task))).toMatchObject({ nonRetryable: true });
  expect(tool.calls).toHaveLength(1);
});

test('a call that was made is answered with its result', async () => {
  const task = aNewTask('unsafe');
  await attempt(scriptedTool(returns('paid')), task);
  expect(await reconcile(task)).toMatchObject({ reply: { value: 'paid' }, attempts: 1 });
});

test('a call that may have been made is unknown, and stays so', async () => {
  const task = aNewTask('keyed');
  await failureOf(attempt(scriptedTool(answers(503)), task));
  const unknown = { type: 'UNKNOWN_OUTCOME', nonRetryable: true, message: expect.stringContaining('503') };
  expect(await failureOf(reconcile(task))).toMatchObject(unknown);
  expect(await failureOf(reconcile(task))).toMatchObject(unknown);
});

test('an open call is asked for again, and has an unknown outcome once its attempt is lost', async () => {
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
  expect(await failureOf(reconcile(task, 0))).toMatchObject({ type: 'UNKNOWN_OUTCOME', nonRetryable: true });
});
