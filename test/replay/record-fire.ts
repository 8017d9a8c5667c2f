import type { WorkflowClient } from '@temporalio/client';
import { FIRE_SCHEDULE } from '../../src/workflows/schedule-contract.ts';
import { aDefinition } from '../support/builders/builders.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { historiesOf } from '../support/readers/executions.ts';
import type { History } from '../support/readers/executions.ts';
import { textAt } from '../support/readers/json-at.ts';

const GIVE_UP_AFTER_MS = 60_000;

/** Triggers a schedule. @returns the history of the workflow of the fire, which ends with its run */
export async function recordFire(client: ApiClient, workflow: WorkflowClient): Promise<readonly History[]> {
  await client.post('/api/graphs', aDefinition({ name: 'scheduled' }));
  const fire = await createTrigger(client, { graph: 'scheduled' });
  await fire();
  return await historiesOf(workflow, await firstEnded(workflow));
}

/** Triggers a schedule twice. @returns the history of the first fire, whose run is canceled for the second one */
export async function recordCanceledFire(client: ApiClient, workflow: WorkflowClient): Promise<readonly History[]> {
  const nodes = { ask: { type: 'approval', title: 'Go on?' } } as const;
  await client.post('/api/graphs', aDefinition({ name: 'asked', nodes, edges: [{ from: '__start__', to: 'ask' }] }));
  const fire = await createTrigger(client, { graph: 'asked', overlap: 'cancelOther' });
  await fire();
  await fire();
  return await historiesOf(workflow, await firstEnded(workflow));
}

async function createTrigger(client: ApiClient, terms: object): Promise<() => Promise<unknown>> {
  const { body } = await client.post('/api/schedules', { ...terms, every: '366d' });
  return async () => await client.post(`/api/schedules/${textAt(body, '/id')}/trigger`, {});
}

async function firstEnded(workflow: WorkflowClient): Promise<string> {
  const query = `WorkflowType = '${FIRE_SCHEDULE}' AND ExecutionStatus = 'Completed'`;
  for (const deadline = Date.now() + GIVE_UP_AFTER_MS; Date.now() < deadline;) {
    for await (const { workflowId } of workflow.list({ query })) return workflowId;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('No fire of the schedule has ended');
}
