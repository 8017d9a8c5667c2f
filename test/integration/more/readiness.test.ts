import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTemporalCheck } from '../../../src/process/temporal-check.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contract.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { PATIENTLY, hasStatus } from '../../support/readers/api-runs.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { reserveServers } from '../../support/servers/reserve-servers.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/** A namespace without search attributes. */
const NAMESPACE = 'unprepared';

let stack: TestStack;
let connection: Connection;
beforeAll(async () => {
  const { TEMPORAL_ADDRESS: address = '' } = await reserveServers();
  connection = await Connection.connect({ address });
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await connection.workflowService.registerNamespace({ namespace: NAMESPACE, workflowExecutionRetentionPeriod });
  // A change takes a moment to become visible on all nodes of the server.
  const query = "WorkflowId = 'none'";
  const count = async () => await connection.workflowService.countWorkflowExecutions({ namespace: NAMESPACE, query });
  await vi.waitFor(count, PATIENTLY);
  stack = await startTestStack({}, { TEMPORAL_NAMESPACE: NAMESPACE });
});
afterAll(async () => {
  await stack.stop();
  await connection.close();
});

const remove = async (...searchAttributes: string[]): Promise<unknown> =>
  await connection.operatorService.removeSearchAttributes({ namespace: NAMESPACE, searchAttributes });

test('a started stack has created its Temporal search attributes, is ready and accepts runs', async () => {
  const { body } = await stack.as('user').post('/api/runs', { graph: aDefinition() });
  expect(await stack.as('user').untilRun(textAt(body, '/id'), hasStatus('completed'))).toMatchObject({ pending: null });
  expect(await stack.stranger.get('/readyz')).toMatchObject({ status: 200 });
});

test('a Temporal search attribute that can not be created is reported with the command that creates it', async () => {
  await remove('GraphVersion', 'ThreadId');
  const operatorService = { addSearchAttributes: async () => await Promise.reject(new Error('not allowed')) };
  const restricted: Connection = Object.create(connection, { operatorService: { value: operatorService } });
  const check = createTemporalCheck({ connection: restricted, namespace: NAMESPACE }, SEARCH_ATTRIBUTES);
  await expect(check()).rejects.toThrow(
    "Temporal's namespace unprepared lacks the search attributes GraphVersion, ThreadId; make them: " +
      'temporal operator search-attribute create --namespace unprepared --name GraphVersion --type Int --name ThreadId --type Keyword',
  );
  await createTemporalCheck({ connection, namespace: NAMESPACE }, SEARCH_ATTRIBUTES)();
  await expect(check()).resolves.toBeUndefined();
});

test('a run reports why Temporal refuses to start its workflow, and continues when Temporal accepts it', async () => {
  await remove('GraphName');
  const { body } = await stack.as('user').post('/api/runs', { graph: aDefinition() });
  const run = await stack.as('user').untilRun(textAt(body, '/id'), (found) => at(found, '/pending') !== null);
  expect(run).toMatchObject({ status: 'queued' });
  expect(textAt(run, '/pending/reason')).toMatch(/^Temporal refuses it: .*GraphName/);
  await createTemporalCheck({ connection, namespace: NAMESPACE }, SEARCH_ATTRIBUTES)();
  const ended = await stack.as('user').untilRun(textAt(body, '/id'), hasStatus('completed'));
  expect(ended).toMatchObject({ pending: null });
});
