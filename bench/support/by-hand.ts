import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { HEARTBEAT_EVERY_MS } from '../../src/activities/calls/time-limit.ts';
import { createCallActivities } from '../../src/activities/index.ts';
import { createDataConverter } from '../../src/process/data-converter.ts';
import { toTemporalLogger } from '../../src/process/temporal-logger.ts';
import { toActivityDeps } from '../../src/workers/activity-deps.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Start } from './timed-run.ts';

/** Returns the start options of a hand-written workflow in a file. */
export type PrepareByHand = (workflowType: string, argument: unknown) => Start;

const QUEUE = 'handwritten';

/** Starts a worker for the workflows in a file, with the same activities as Holdfast's. */
export async function byHand(environment: BenchEnvironment, workflows: URL): Promise<PrepareByHand> {
  const { config, store, connection, logger, keep } = environment;
  const workflowsPath = fileURLToPath(workflows);
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: toTemporalLogger(logger) });
  const activities = createCallActivities(toActivityDeps(config, { store, logger, environment: process.env }));
  keep(
    await Worker.create({
      connection,
      taskQueue: QUEUE,
      workflowBundle,
      activities,
      dataConverter: createDataConverter(store.blobs),
      maxConcurrentActivityTaskExecutions: 200,
      maxHeartbeatThrottleInterval: HEARTBEAT_EVERY_MS,
      maxCachedWorkflows: 1_000,
    }),
  );
  let runs = 0;
  return (workflowType, argument) => ({
    workflowType,
    workflowId: `handwritten-${runs++}`,
    taskQueue: QUEUE,
    args: [argument],
  });
}
