import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { createDataConverter } from '../../src/data-converter.ts';
import { installTemporalRuntime } from '../../src/dev/temporal-runtime.ts';
import { createLogger } from '../../src/process/logger.ts';
import { toTemporalLogger } from '../../src/process/temporal-logger.ts';
import { workflowCode } from '../../src/worker/workflow-code.ts';
import { blobsOf } from './recordings.ts';
import type { Recording } from './recordings.ts';

/** Replays all executions of a recording. @throws when the code would have gone another way */
export type Replay = (recording: Pick<Recording, 'executions' | 'blobs'>) => Promise<void>;

/** @param workflowsPath of other code than the project's */
export async function openReplay(workflowsPath = workflowCode.workflowsPath): Promise<Replay> {
  const logger = createLogger('fatal');
  installTemporalRuntime(logger);
  const workflowBundle = await bundleWorkflowCode({ ...workflowCode, workflowsPath, logger: toTemporalLogger(logger) });
  return async (recording) => {
    const dataConverter = createDataConverter(blobsOf(recording));
    for (const execution of recording.executions)
      await Worker.runReplayHistory({ workflowBundle, dataConverter }, historyFromJSON(execution));
  };
}
