import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { installTemporalRuntime } from '../../../src/dev/service.ts';
import { createDataConverter } from '../../../src/process/data-converter.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import { workflowCode } from '../../../src/workers/workflow-code.ts';
import { blobsOf } from '../readers/recordings.ts';
import type { Recording } from '../readers/recordings.ts';

/** Histories to replay, with the payloads that were stored by reference. */
type Recorded = Pick<Recording, 'executions' | 'blobs'>;

/** Replays all executions of a recording. @throws when the replay differs */
export type Replay = (recording: Recorded) => Promise<void>;

/** @param workflowsPath other workflow code than the project's */
export async function openReplay(workflowsPath = workflowCode.workflowsPath): Promise<Replay> {
  const workflowBundle = await bundle(workflowsPath);
  return async (recording) => {
    const dataConverter = createDataConverter(blobsOf(recording));
    for (const execution of recording.executions)
      await Worker.runReplayHistory({ workflowBundle, dataConverter }, historyFromJSON(execution));
  };
}

/**
 * Replays many recordings on one worker: each worker leaves its source map in memory, which would not suffice for
 * hundreds.
 * @returns the errors of each execution by name; `null` without one
 */
export async function replayAll(
  recordings: readonly Recording[],
): Promise<ReadonlyMap<string, readonly (Error | null)[]>> {
  const workflowBundle = await bundle(workflowCode.workflowsPath);
  const dataConverter = createDataConverter(
    blobsOf({ blobs: Object.assign({}, ...recordings.map(({ blobs }) => blobs)) }),
  );
  const histories = recordings.flatMap(({ name, executions }) =>
    executions.map((execution) => ({ workflowId: name, history: historyFromJSON(execution) })),
  );
  const outcomes = new Map<string, (Error | null)[]>();
  for await (const { workflowId, error = null } of Worker.runReplayHistories(
    { workflowBundle, dataConverter },
    histories,
  ))
    outcomes.set(workflowId, [...(outcomes.get(workflowId) ?? []), error]);
  return outcomes;
}

async function bundle(workflowsPath: string): Promise<WorkflowBundleOption> {
  const logger = createLogger('fatal');
  await installTemporalRuntime(logger);
  const codePath = process.env['HOLDFAST_WORKFLOW_BUNDLE'];
  if (codePath && workflowsPath === workflowCode.workflowsPath) return { codePath };
  return await bundleWorkflowCode({ ...workflowCode, workflowsPath, logger: toTemporalLogger(logger) });
}
