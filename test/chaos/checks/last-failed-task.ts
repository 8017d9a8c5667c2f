import type { WorkflowHandle } from '@temporalio/client';

/** Returns the failure of the last failed workflow task in the history. */
export async function lastFailedTask(workflow: WorkflowHandle): Promise<string> {
  const { events } = await workflow.fetchHistory();
  const failures = events?.flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
  return failures?.at(-1) ?? 'no workflow task has failed, by its history';
}
