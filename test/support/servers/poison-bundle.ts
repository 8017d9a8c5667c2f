import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import { workflowCode } from '../../../src/workers/workflow-code.ts';

const POISON = fileURLToPath(new URL('../doubles/poison.ts', import.meta.url));

/** Bundles workflow code that includes failing code. @returns the file of the bundle */
export async function bundlePoison(teardown: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-poison-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const { code } = await bundleWorkflowCode({
    ...workflowCode,
    workflowInterceptorModules: [...workflowCode.workflowInterceptorModules, POISON],
    logger: toTemporalLogger(createLogger('fatal')),
  });
  const file = join(folder, 'workflow.js');
  await writeFile(file, code);
  return file;
}
