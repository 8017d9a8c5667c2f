import { createRoute, z } from '@hono/zod-openapi';
import { mapPage } from '../../../store/page.ts';
import type { RunRecord } from '../../../store/runs.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../http/authenticate.ts';
import { ApiError } from '../../http/errors.ts';
import { readPage } from '../../http/paging.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { findRun } from '../../runs/find-run.ts';
import { listHistory } from '../../runs/list-history.ts';
import { toRunJson } from '../../runs/run-json.ts';
import { AdminRunListSchema, InspectedRunSchema, LedgerSchema } from '../../schemas/admin.ts';
import { NoQuery, PageQuery, json, problems, idOf } from '../../schemas/common.ts';
import { RunFilter } from '../../schemas/run-filter.ts';

const tags = ['admin'];
/** What is shown at once of a run's events and calls. */
const FIRST_PAGE = { limit: 50 };

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/admin/runs',
    operationId: 'listRunsOfAll',
    tags,
    security: needs('admin'),
    summary: 'The runs of all tenants, the newest first',
    middleware: [authorized(deps, 'admin')] as const,
    request: {
      query: PageQuery.extend({
        ...RunFilter.shape,
        tenantId: z.string().min(1).optional().openapi({ description: 'Only runs of this tenant' }),
      }),
    },
    responses: { 200: json(AdminRunListSchema, 'A page of runs'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const { limit, cursor, ...filter } = c.req.valid('query');
    const asked = { list: ['runs of all', filter], limit, cursor };
    const page = await readPage(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.runs.listOfAll(filter, request), (run) => toItem(run, c.get('caller'))),
    );
    return c.json(page, 200);
  });
};

const inspect: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/admin/runs/{id}',
    operationId: 'inspectRun',
    tags,
    security: needs('admin'),
    summary: 'A run of any tenant with its events, its calls in the ledger, and its activities in Temporal',
    middleware: [authorized(deps, 'admin')] as const,
    request: { params: idOf('run'), query: NoQuery },
    responses: { 200: json(InspectedRunSchema, 'The run'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const [events, ledger, pendingActivities, retrying] = await Promise.all([
      listHistory(deps, caller, { run, ...FIRST_PAGE }),
      listLedger(deps, { run, ...FIRST_PAGE }),
      pendingActivitiesOf(deps, run),
      deps.store.ledger.retrying(run.id),
    ]);
    return c.json({ run: toItem(run, caller, { retrying }), events, ledger, pendingActivities }, 200);
  });
};

const ledger: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/admin/runs/{id}/ledger',
    operationId: 'listLedger',
    tags,
    security: needs('admin'),
    summary: 'The calls of a run of any tenant, ordered by their keys',
    middleware: [authorized(deps, 'admin')] as const,
    request: { params: idOf('run'), query: PageQuery },
    responses: { 200: json(LedgerSchema, 'A page of calls'), ...problems(400, 404) },
  });
  router.openapi(route, async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(await listLedger(deps, { run, ...c.req.valid('query') }), 200);
  });
};

/** Routes that show an administrator the runs of all tenants. */
export const adminRunRoutes = routes(list, inspect, ledger);

function toItem(run: RunRecord, caller: Caller, live: Parameters<typeof toRunJson>[2] = {}) {
  return { ...toRunJson(run, caller, live), tenantId: run.tenantId };
}

interface AskedLedger {
  readonly run: RunRecord;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

async function listLedger({ cursors, store }: ApiDeps, { run, ...page }: AskedLedger) {
  const asked = { list: ['ledger', run.tenantId, run.id], ...page };
  return await readPage(cursors, asked, (request) => store.ledger.list(run.id, request));
}

/** What the database knows is worth reading also while Temporal is away. */
async function pendingActivitiesOf({ engine }: ApiDeps, { tenantId, id }: RunRecord) {
  return await engine.pendingActivities({ tenantId, id }).catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
}
