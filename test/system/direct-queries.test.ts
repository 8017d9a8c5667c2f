import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTeardown } from '../../src/dev/teardown.ts';
import { PLAYED_ANEW, QUERIES, toWorkflowId } from '../../src/workflows/contract.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import type { ChildNode } from '../support/servers/child-node.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';
import { openReplay } from '../support/servers/replays.ts';
import { repeated } from '../support/servers/site.ts';
import { startTemporalProxy } from '../support/servers/temporal-proxy.ts';
import type { TemporalProxy } from '../support/servers/temporal-proxy.ts';

/*
 * Temporal's own tools, and the API, query a run without a workflow task. The worker that answers has the current
 * history, and applies events that no workflow task has delivered yet. The run must nevertheless continue like a replay
 * of its history.
 */

vi.setConfig({ testTimeout: 180_000 });

const PATIENTLY = 60_000;
const MORE_THAN_ONCE = { timeout: 150_000, interval: 1_000 };

const teardown = openTeardown();
let processes: Processes;
let proxy: TemporalProxy;
let temporal: Client;
let other: ChildNode | null = null;
beforeAll(async () => {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('holdfast');
  processes = await startProcesses({ databaseUrl, config: {}, workers: [], isAwaited: true }, teardown);
  proxy = await startTemporalProxy(processes.temporal.address);
  teardown.add(() => proxy.stop());
  const connection = await Connection.connect({ address: processes.temporal.address });
  teardown.add(() => connection.close());
  temporal = new Client({ connection });
}, 180_000);
afterAll(() => teardown.run());

function as(caller: 'user' | 'approver'): ApiClient {
  return createApiClient(processes.baseUrls[0] ?? '', processes.tokens[caller]);
}

/** A run with two pending approvals. */
interface Course {
  readonly id: string;
  readonly approvalId: string;
  readonly workflowId: string;
  readonly handle: WorkflowHandle;
}

async function begin(): Promise<Course> {
  const policy = { roles: ['approver'] };
  const graph = aDefinition({
    nodes: {
      both: { type: 'approval', title: 'Both?', policy: { ...policy, quorum: 2 } },
      quick: { type: 'approval', title: 'Quick?', policy, timeout: '1s' },
    },
  });
  const id = textAt((await as('user').post('/api/runs', { graph })).body, '/id');
  const approvalId = textAt(await as('user').untilRun(id, hasStatus('waiting'), PATIENTLY), '/waitingFor/0/id');
  const workflowId = toWorkflowId({ tenantId: 'demo', id });
  return { id, approvalId, workflowId, handle: temporal.workflow.getHandle(workflowId) };
}

async function approve({ id, approvalId }: Course): Promise<void> {
  const once = { 'idempotency-key': `approve ${id}` };
  await repeated(() => as('approver').post(`/api/runs/${id}/approve`, { approvalId }, once));
}

/** Sends the second approval with `temporal workflow signal`. */
async function approveToo({ handle, approvalId }: Course): Promise<void> {
  await handle.signal('approve', { signalId: 'second', approvalId });
}

/** Completes a run. @returns the number of its failed workflow tasks @throws when its history can't be replayed */
async function failedTasksOf({ id, handle }: Course): Promise<number> {
  await handle.result();
  const history = await handle.fetchHistory();
  await (
    await openReplay()
  )({ executions: [JSON.parse(historyToJSON(history))], blobs: {} });
  expect(await as('user').untilRun(id, hasStatus('completed'), PATIENTLY)).toMatchObject({ status: 'completed' });
  return (history.events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length;
}

/**
 * Loses a worker, and queries its run while a workflow task waits for that worker.
 * @returns the failure of the query, if it fails
 */
async function askBetweenTasks() {
  const lost = processes.addWorker({ TEMPORAL_ADDRESS: proxy.address });
  try {
    return await askWhileLosing(lost);
  } finally {
    await lost.kill();
  }
}

async function askWhileLosing(lost: ChildNode) {
  await lost.untilReady();
  const course = await begin();
  const { workflowId, handle } = course;
  other = processes.addWorker({});
  await other.untilReady();
  const recorded = proxy.hold(
    ({ method, mentions }) => method === 'RespondActivityTaskCompleted' && mentions(workflowId, 'record'),
  );
  await approve(course);
  const record = await recorded;
  await lost.kill();
  // Query and task wait for the lost worker, 3 s each. The other worker answers the query while the task waits.
  const asked = handle.query(QUERIES.status).then(
    () => null,
    (error: unknown) => error,
  );
  await sleep(2_300);
  await record.deliver();
  return { course, failure: await asked };
}

test('a query that advances a worker beyond the last workflow task fails, and the run continues from its history', async () => {
  // On a busy machine the other worker may answer too late.
  const course = await vi.waitFor(async () => {
    await other?.kill();
    const asked = await askBetweenTasks();
    expect(asked.failure).toMatchObject({ message: expect.stringContaining(PLAYED_ANEW) });
    return asked.course;
  }, MORE_THAN_ONCE);
  await approveToo(course);
  expect(await course.handle.query(QUERIES.status)).toMatchObject({ status: expect.any(String) });
  expect(await failedTasksOf(course)).toBe(0);
});

test('queries of a run at its last workflow task add no workflow task', async () => {
  await other?.kill();
  other = processes.addWorker({});
  await other.untilReady();
  const course = await begin();
  await course.handle.query(QUERIES.status);
  await approve(course);
  await course.handle.query(QUERIES.approvals);
  await approveToo(course);
  await course.handle.query(QUERIES.state);
  expect(await failedTasksOf(course)).toBe(0);
  expect(other.words()).not.toContain(PLAYED_ANEW);
});
