import type { WorkflowClient } from '@temporalio/client';
import { TICK_SCHEDULE } from '../../src/workflows/schedule-contract.ts';
import { aDefinition } from '../support/builders/builders.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { historiesOf } from '../support/readers/executions.ts';
import type { History } from '../support/readers/executions.ts';
import { textAt } from '../support/readers/json-at.ts';

const GIVE_UP_AFTER_MS = 60_000;

/** Makes a schedule of every second. @returns the history of the first workflow that has taken one of its times */
export async function recordTick(client: ApiClient, workflow: WorkflowClient): Promise<readonly History[]> {
  await client.post('/api/graphs', aDefinition({ name: 'scheduled' }));
  const { body } = await client.post('/api/schedules', { graph: 'scheduled', every: '1s' });
  const taken = await firstTaken(workflow);
  await client.send(`/api/schedules/${textAt(body, '/id')}`, { method: 'DELETE' });
  return await historiesOf(workflow, taken);
}

async function firstTaken(workflow: WorkflowClient): Promise<string> {
  const query = `WorkflowType = '${TICK_SCHEDULE}' AND ExecutionStatus = 'Completed'`;
  for (const deadline = Date.now() + GIVE_UP_AFTER_MS; Date.now() < deadline;) {
    for await (const { workflowId } of workflow.list({ query })) return workflowId;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('No time of the schedule was taken');
}
