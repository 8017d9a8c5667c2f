import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflow } from './bundle-workflow.ts';

/*
 * The last step of `npm run build`: it adds what the compiler does not produce, the workflow bundle and the pages of
 * /docs.
 */

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PAGES = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui.css'));
const OF_PAGES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

await Promise.all([
  bundleWorkflow(join(DIST, 'workflow-bundle.js')),
  ...OF_PAGES.map(async (file) => await cp(join(PAGES, file), join(DIST, 'api/routes/swagger-ui', file))),
]);
