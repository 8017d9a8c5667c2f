import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { aGraphOf, eventsOf, hasStatus } from '../../support/readers/api-runs.ts';
import { startNode } from '../../support/servers/child-node.ts';
import type { ChildNode } from '../../support/servers/child-node.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

const CONFIG = fileURLToPath(new URL('../../support/servers/payments.config.ts', import.meta.url));
const teardown = openTeardown();
let stack: TestStack;
let databaseUrl: string;
beforeAll(async () => {
  stack = await startTestStack(CONFIG, { HOLDFAST_TASK_QUEUES: 'holdfast' });
  databaseUrl = stack.databaseUrl ?? '';
  teardown.add(() => stack.stop());
});
afterAll(async () => await teardown.run());

/** Starts a worker for the queue of payments, with its own secret. */
function startPaymentsWorker(): ChildNode {
  const worker = startNode('src/worker.ts', {
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: stack.temporalAddress,
    TEMPORAL_NAMESPACE: stack.namespace,
    HOLDFAST_CONFIG: CONFIG,
    HOLDFAST_TASK_QUEUES: 'payments',
    PAYMENTS_KEY: 'only here',
    LOG_LEVEL: 'fatal',
  });
  teardown.add(() => worker.kill());
  return worker;
}

/** Starts a run that only waits for a call that no worker serves. */
async function startWaiting(): Promise<string> {
  const graph = aGraphOf({ type: 'tool', tool: 'charge', args: { euros: 5 } });
  const { body } = await stack.as('user').post('/api/runs', { graph, input: {} });
  const id = textAt(body, '/id');
  await expect.poll(async () => await eventsOf(stack.as('user'), id, 'tool.requested')).toHaveLength(1);
  return id;
}

test('a run whose tool has no worker reports the waiting node and can be canceled', async () => {
  const user = stack.as('user');
  const id = await startWaiting();
  expect((await user.get(`/api/runs/${id}`)).body).toMatchObject({ status: 'running', startedAt: expect.any(String) });
  await user.post(`/api/runs/${id}/cancel`, {});
  expect(await user.untilRun(id, hasStatus('canceled'))).toMatchObject({ status: 'canceled' });
});

const LONG = { timeout: 180_000 };

test('an unsafe call that no worker started before its deadline fails as not executed', LONG, async () => {
  const user = stack.as('user');
  const graph = aGraphOf({ type: 'tool', tool: 'pay_out', args: { euros: 5 }, deadline: '1s' });
  const { body } = await user.post('/api/runs', { graph, input: {} });
  const run = await user.untilRun(textAt(body, '/id'), hasStatus('failed', 'waiting', 'completed'), 100_000);
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'TIMEOUT', message: 'No worker took the call in time' },
  });
});

test('a call of a tool with its own task queue waits until a worker of that queue starts', LONG, async () => {
  const user = stack.as('user');
  const id = await startWaiting();
  await sleep(2_000);
  expect(await eventsOf(user, id, 'tool.called')).toEqual([]);

  startPaymentsWorker();
  const run = await user.untilRun(id, hasStatus('completed', 'failed'), 100_000);
  expect(run).toMatchObject({ status: 'completed', output: { answer: { euros: 5, secretLength: 9 } } });
  const events = await eventsOf(user, id);
  expect(events.map((event) => at(event, '/seq'))).toEqual(events.map((_, index) => index + 1));
  const called = events.find((event) => at(event, '/type') === 'tool.called');
  const key = textAt(run, '/output/answer/key');
  expect(called).toMatchObject({ tool: 'charge', attempts: 2, idempotencyKey: key });

  const store = await openPostgresStore(databaseUrl);
  const answers = await store.ledger.answers(id);
  await store.close();
  expect([...answers.keys()]).toEqual([key]);
});
