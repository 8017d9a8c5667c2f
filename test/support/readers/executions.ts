import type { WorkflowClient } from '@temporalio/client';
import { toWorkflowId } from '../../../src/workflows/contract.ts';

export type History = Awaited<ReturnType<ReturnType<WorkflowClient['getHandle']>['fetchHistory']>>;
export type HistoryEvent = NonNullable<History['events']>[number];

/** The histories of a run's successive executions, first one first. */
export async function executionsOf(workflow: WorkflowClient, runId: string): Promise<readonly History[]> {
  return await historiesOf(workflow, toWorkflowId({ tenantId: 'demo', id: runId }));
}

export async function historiesOf(workflow: WorkflowClient, workflowId: string): Promise<readonly History[]> {
  let executionRunId = (await workflow.getHandle(workflowId).describe()).runId;
  for (const found: History[] = []; ;) {
    const history = await workflow.getHandle(workflowId, executionRunId).fetchHistory();
    found.unshift(history);
    const before = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
    if (before === '') return found;
    executionRunId = before;
  }
}
