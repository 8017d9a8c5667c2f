import { createRoute } from '@hono/zod-openapi';
import { ApiError } from '../http/errors.ts';
import { readPage } from '../http/paging.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { listCalls, readCall } from '../runs/calls/read-calls.ts';
import { findRun } from '../runs/find-run.ts';
import { CallListSchema, CallQuery, CallSchema, RunAndKey } from '../schemas/call.ts';
import { NoQuery, idOf, json, problems } from '../schemas/common.ts';

const tags = ['runs'];

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/calls',
    operationId: 'listCalls',
    tags,
    security: needs('run:read'),
    summary: 'The calls of a run: what was sent, what came back, and what failed on the way',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: idOf('run'), query: CallQuery },
    responses: { 200: json(CallListSchema, 'A page of calls'), ...problems(400, 404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const { limit, cursor, ...filter } = c.req.valid('query');
    const asked = { list: ['calls', run.tenantId, run.id, filter], limit, cursor };
    const hidden = hiddenFrom(caller, run);
    const page = await readPage(deps.cursors, asked, async (request) =>
      listCalls(deps, { run, hidden }, { filter, page: request }),
    );
    return c.json(page, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/calls/{key}',
    operationId: 'getCall',
    tags,
    security: needs('run:read'),
    summary: 'A call of a run, with the whole answer; of several under one key, the latest',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: RunAndKey, query: NoQuery },
    responses: { 200: json(CallSchema, 'The call'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { id, key } = c.req.valid('param');
    const run = await findRun(deps, caller, id);
    const call = await readCall(deps, { run, hidden: hiddenFrom(caller, run) }, key);
    if (!call) throw new ApiError('NOT_FOUND', `Run ${id} has made no call "${key}"`);
    return c.json(call, 200);
  });
};

/** Routes of the calls of a run. */
export const callRoutes = routes(list, read);
