import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { ulid } from 'ulid';
import type { Catalog } from '../graph/definition/index.ts';
import type { ApiDeps, ApiEnv } from './deps.ts';
import { ApiError, methodNotAllowed as notAllowed, unavailable } from './http/errors.ts';
import { packageVersion } from '../process/own-code.ts';
import { isDatabaseAway } from '../store/database/database-away.ts';
import { problemResponse } from '../process/problem.ts';
import { TAGS } from './middleware/route.ts';
import { measureRequests, traceRequests } from './middleware/traced.ts';
import { crossOrigin } from './middleware/cross-origin.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { adminRoutes } from './routes/administration.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { recordRoutes } from './routes/run-records.ts';
import { chatRoutes } from './routes/chat.ts';
import { docsRoutes, operationRoutes } from './routes/operations.ts';
import { fileRoutes } from './routes/files.ts';
import { graphRoutes } from './routes/graphs.ts';
import { hookRoutes } from './routes/hooks.ts';
import { controlRoutes } from './routes/run-controls.ts';
import { memoryRoutes } from './routes/memory.ts';
import { consoleFileRoutes, consoleRoutes } from './routes/console.ts';
import { runRoutes } from './routes/runs.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { definitionComponents } from './schemas/graph.ts';
import { streamRoutes } from './routes/streams.ts';
import { stateRoutes } from './routes/states.ts';
import { threadRoutes } from './routes/threads.ts';
import { toolRoutes } from './routes/tools.ts';
import { graphVersionRoutes } from './routes/graph-versions.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** Creates the API: the middleware that every request passes first, then the routes. */
export function createApp(deps: ApiDeps): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>();
  app.use(async (c, next) => {
    c.set('requestId', ulid());
    await next();
    c.res.headers.set('x-request-id', c.get('requestId'));
    if (deps.shuttingDown.aborted) c.res.headers.set('connection', 'close');
  });
  app.use(measureRequests());
  app.use(traceRequests());
  app.use(securityHeaders(deps.settings.console?.origins ?? []));
  if (deps.settings.cors) app.use(crossOrigin(deps.settings.cors));
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) =>
        problemResponse(notAllowed(c.req.method, methodsOfPath(app, c.req.path) ?? methods), c.req.path),
    }),
  );
  for (const add of ROUTES) app.route('/', add(deps));
  app.route('/', docsRoutes());
  app.route('/', consoleFileRoutes());
  describeApi(app, deps.catalog);
  app.notFound((c) => problemResponse(new ApiError('NOT_FOUND', `There is nothing at ${c.req.path}`), c.req.path));
  app.onError((error, c) => {
    const known = toApiError(error);
    if (known?.code === 'UNAVAILABLE' && known.cause !== undefined)
      deps.logger.warn({ error: known.cause, path: c.req.path }, 'a request can not be done now');
    if (known) return problemResponse(known, c.req.path);
    const requestId = c.get('requestId');
    deps.logger.error({ error, requestId, path: c.req.path }, 'a request failed');
    return problemResponse(
      new ApiError('INTERNAL', `The server failed; its log names request ${requestId}`),
      c.req.path,
    );
  });
  return app;
}

const DESCRIPTION = `Durable agent graphs on Temporal.

To begin, authorize with a token (\`npx holdfast token user\` prints one of a local stack), publish a graph by \`POST /api/graphs\`, and start a run of it by
\`POST /api/runs\` with \`Prefer: wait=10\`. Where it waits for a person, \`GET /api/approvals\` shows what for.

Each POST that changes something takes an \`Idempotency-Key\`: the same key and body give the first answer again, for at
least 24 hours.`;

/** In the order in which the API's description lists them. */
const ROUTES = [
  graphRoutes,
  graphVersionRoutes,
  bulkRoutes,
  runRoutes,
  stateRoutes,
  recordRoutes,
  controlRoutes,
  threadRoutes,
  chatRoutes,
  toolRoutes,
  memoryRoutes,
  webhookRoutes,
  fileRoutes,
  scheduleRoutes,
  hookRoutes,
  adminRoutes,
  approvalRoutes,
  operationRoutes,
  consoleRoutes,
  streamRoutes,
];

function describeApi(app: OpenAPIHono<ApiEnv>, { nodeTypes }: Catalog): void {
  for (const [name, schema] of Object.entries(definitionComponents(nodeTypes)))
    app.openAPIRegistry.registerComponent('schemas', name, schema);
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: packageVersion(),
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/', description: 'The installation that serves this description' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
}

/** Returns the methods of the routes that are declared for exactly this path; `null` when there are none. */
function methodsOfPath({ routes }: OpenAPIHono<ApiEnv>, path: string): readonly string[] | null {
  const own = routes.filter((route) => route.path === path && route.method !== 'ALL').map(({ method }) => method);
  if (own.length === 0) return null;
  return [...new Set(own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function toApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  if (isDatabaseAway(error)) return unavailable('The database', error);
  if (!(error instanceof HTTPException)) return null;
  return error.status === 400 ? new ApiError('MALFORMED_JSON', error.message) : null;
}
