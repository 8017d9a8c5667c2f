import { writeFile } from 'node:fs/promises';
import { bundleWorkflowCode } from '@temporalio/worker';
import { isMain } from '../process/own-code.ts';
import { createLogger } from '../process/logger.ts';
import { toTemporalLogger } from '../process/temporal-logger.ts';
import { workflowCode } from '../workers/workflow-code.ts';

/** Bundles the workflow code into a file; workers find it through `HOLDFAST_WORKFLOW_BUNDLE`. */
export async function bundleWorkflow(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(createLogger('fatal')) });
  await writeFile(file, code);
}

if (isMain(import.meta.url)) {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error('Name the file that the code goes to');
  await bundleWorkflow(file);
}
