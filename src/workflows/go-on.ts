import { makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import type { Json } from '../graph/json.ts';
import type { WorkflowInput } from './contract.ts';

/**
 * Goes on as a new execution, under the worker version that is current then. A server before 1.31 has a pinned workflow
 * followed by a pinned one whatever the command says, unless the task that gives the command says that it is none.
 */
export async function goOn(input: WorkflowInput): Promise<never> {
  if (isVersioned()) Object.assign(getActivator(), { versioningBehavior: 'AUTO_UPGRADE' });
  const next = makeContinueAsNewFunc<(input: WorkflowInput) => Promise<Json>>({
    initialVersioningBehavior: 'AUTO_UPGRADE',
  });
  return await next(input);
}

/** Unversioned workers may not speak of versions. */
function isVersioned(): boolean {
  return (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';
}
