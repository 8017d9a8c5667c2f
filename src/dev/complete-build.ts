import { cp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { isMain } from '../process/own-code.ts';
import { createLogger } from '../process/logger.ts';
import { toTemporalLogger } from '../process/temporal-logger.ts';
import { workflowCode } from '../workers/workflow-code.ts';

/* The end of `npm run build`: adds what the compiler does not write, the workflow's code and the pages of /docs. */

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PAGES = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui.css'));
const OF_PAGES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

await Promise.all([
  bundleWorkflow(join(DIST, 'workflow-bundle.js')),
  ...OF_PAGES.map(async (file) => await cp(join(PAGES, file), join(DIST, 'api/routes/swagger-ui', file))),
]);

/** Bundles the workflow's code into a file, which `HOLDFAST_WORKFLOW_BUNDLE` gives to workers. */
export async function bundleWorkflow(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(createLogger('fatal')) });
  await writeFile(file, code);
}

if (isMain(import.meta.url)) {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error('Name the file that the code goes to');
  await bundleWorkflow(file);
}
