import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { createLogger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import { workflowCode } from '../../../src/workers/workflow-code.ts';

const workflowsPath = fileURLToPath(new URL('../../replay/next-version/index.ts', import.meta.url));

/** Bundles a workflow whose interpreter is of the next version. @returns the code */
export async function bundleNextVersion(): Promise<string> {
  const logger = toTemporalLogger(createLogger('fatal'));
  return (await bundleWorkflowCode({ ...workflowCode, workflowsPath, logger })).code;
}
