import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { unavailableNow } from '../http/errors.ts';
import { readMetricsRoute } from './metrics.ts';
import { createMeaningCheck, SHUTTING_DOWN, findUnavailable } from '../../process/readiness.ts';
import { routes, tagged } from '../middleware/route.ts';
import { jsonAnswer, GivenRecord } from '../schemas/common.ts';
import { isBuilt } from '../../process/own-code.ts';
import type { ApiEnv } from '../deps.ts';
import { definitionSchema } from '../../graph/schema/index.ts';

const operationsTag = tagged('operations');
const graphsTag = tagged('graphs');

const Health = z.object({ status: z.literal('ok') }).openapi('Health', { example: { status: 'ok' } });

const checkAliveRoute = operationsTag.get('/healthz', 'public', {
  id: 'checkAlive',
  summary: 'The process is alive',
  answers: { 200: jsonAnswer(Health, 'It is') },
  handle: () => (c) => c.json({ status: 'ok' as const }, 200),
});

const checkReadyRoute = operationsTag.get('/readyz', 'public', {
  id: 'checkReady',
  summary: 'Temporal and the database answer, and the process does not end',
  answers: { 200: jsonAnswer(Health, 'They do') },
  problems: [503],
  handle: ({ store, engine, shuttingDown }) => {
    const checks = {
      'The database': () => store.ping(),
      'What memory means': createMeaningCheck(store.meaning),
      Temporal: () => engine.ping(),
    };
    return async (c) => {
      const message = shuttingDown.aborted ? SHUTTING_DOWN : await findUnavailable(checks);
      if (message !== null) throw unavailableNow(message);
      return c.json({ status: 'ok' as const }, 200);
    };
  },
});

/**
 * The build copies the required files of the package, because the package is large and sends usage data when installed.
 */
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
/** An entered token is kept only as long as the page is open. */
const START = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', validatorUrl: null });\n";

/** Serves a page to browse the API's description, without files of other servers. */
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

const CACHE_CONTROL = 'public, max-age=3600';

const getDefinitionSchemaRoute = graphsTag.get('/schemas/graph-definition.json', 'public', {
  id: 'getDefinitionSchema',
  summary: 'The JSON Schema of graph definitions, for editors',
  answers: {
    200: { description: 'A JSON Schema (2020-12)', content: { 'application/schema+json': { schema: GivenRecord } } },
    304: { description: 'It is the one that `If-None-Match` names' },
  },
  problems: 'none',
  handle: ({ catalog }) => {
    const text = JSON.stringify(definitionSchema(catalog.nodeTypes));
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    return (c) => {
      const headers = { etag, 'cache-control': CACHE_CONTROL, 'access-control-allow-origin': '*' };
      if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
      return c.body(text, 200, { ...headers, 'content-type': 'application/schema+json' });
    };
  },
});

/** Routes of probes, metrics and JSON Schemas. Only metrics may need a token. */
export const operationRoutes = routes(checkAliveRoute, checkReadyRoute, readMetricsRoute, getDefinitionSchemaRoute);
