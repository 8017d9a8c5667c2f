import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { isBuilt } from '../../process/own-code.ts';
import type { ApiEnv } from '../deps.ts';

/** The build copies what the page needs: the package is large, and its installation reports to others. */
const FOLDER = isBuilt
  ? fileURLToPath(new URL('./swagger-ui', import.meta.url))
  : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui.css'));

const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css'],
  ['swagger-ui-bundle.js', 'text/javascript'],
]);

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Holdfast API</title><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="api"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>
`;
/** A token that is entered lives as long as the page. */
const START = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', validatorUrl: null });\n";

/** Serves a page to browse the API's description, without files from elsewhere. */
export function docsRoutes(): Hono<ApiEnv> {
  const router = new Hono<ApiEnv>();
  router.get('/', (c) => c.redirect('/docs'));
  router.get('/favicon.ico', (c) => c.body(null, 204));
  router.get('/docs', (c) => c.html(PAGE));
  router.get('/docs/start.js', (c) => c.body(START, 200, { 'content-type': 'text/javascript' }));
  for (const [file, type] of ASSETS) {
    router.get(`/docs/${file}`, async (c) =>
      c.body(await readFile(join(FOLDER, file), 'utf8'), 200, {
        'content-type': type,
        'cache-control': 'public, max-age=86400',
      }),
    );
  }
  return router;
}
