import type { WorkerDeploymentOptions } from '@temporalio/worker';

/**
 * Reads the version of a worker process, from the variables that Temporal's own controller sets.
 * An execution of a run stays on the version on which it begins.
 * @returns `null` when workers have no versions
 * @throws when one of the two variables is missing
 */
export function readWorkerDeployment({
  TEMPORAL_DEPLOYMENT_NAME: deploymentName = '',
  TEMPORAL_WORKER_BUILD_ID: buildId = '',
}: NodeJS.ProcessEnv): WorkerDeploymentOptions | null {
  if (deploymentName === '' && buildId === '') return null;
  if (deploymentName === '' || buildId === '')
    throw new Error('TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID go together; one of them is not set');
  return { useWorkerVersioning: true, version: { deploymentName, buildId }, defaultVersioningBehavior: 'PINNED' };
}
