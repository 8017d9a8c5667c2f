import { setTimeout as sleep } from 'node:timers/promises';
import { UPGRADE } from '../../../src/workflows/contract.ts';
import type { History } from '../readers/executions.ts';
import type { TemporalCli } from './temporal-cli.ts';

const DEPLOYMENT = 'holdfast';

/** The environment variables of workers of a version. */
export function versionOf(buildId: string): NodeJS.ProcessEnv {
  return { TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, TEMPORAL_WORKER_BUILD_ID: buildId };
}

/** A server knows a version once its first worker has polled, and registers its task queues one after the other. */
const TRANSIENT = /not found|missing active task queues/i;

/** Makes a version current for new runs, as soon as the server knows it. */
export async function makeCurrent(temporal: TemporalCli, buildId: string): Promise<void> {
  const line = `temporal worker deployment set-current-version --deployment-name ${DEPLOYMENT} --build-id ${buildId} --yes`;
  for (;;) {
    const problem = await temporal.paste(line).then(() => null, String);
    if (problem === null) return;
    if (!TRANSIENT.test(problem)) throw new Error(problem);
    await sleep(200);
  }
}

/** Asks the runs of a version to move to the current one. */
export async function upgradeRunsOf(temporal: TemporalCli, buildId: string): Promise<void> {
  await temporal.paste(
    `temporal workflow signal --name ${UPGRADE} --query "${runningOnVersion(buildId)}" --reason upgrade --yes`,
  );
}

/** Finds the running executions of a version. */
export function runningOnVersion(buildId: string): string {
  return `TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:${buildId}' AND ExecutionStatus = 'Running'`;
}

/** The versions of the workers that executed an execution. */
export function versionsIn(history: History | undefined): ReadonlySet<string> {
  const completed = (history?.events ?? []).flatMap((event) => event.workflowTaskCompletedEventAttributes ?? []);
  return new Set(completed.map(({ deploymentVersion }) => deploymentVersion?.buildId ?? 'none'));
}
