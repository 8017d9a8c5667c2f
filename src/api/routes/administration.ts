import { z } from '@hono/zod-openapi';
import { mapPage } from '../../store/page.ts';
import { readPageByCursor } from '../http/paging.ts';
import { auditPathId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import {
  NewTenantTermsSchema,
  TenantId,
  TenantListSchema,
  TenantSchema,
  AuditQuery,
  AuditSchema,
  AdminRunListSchema,
  InspectedRunSchema,
  LedgerSchema,
  KindAndName,
  NewSwitchSchema,
  SwitchListSchema,
  SwitchSchema,
} from '../schemas/admin.ts';
import { PageQuery, jsonAnswer, idOf } from '../schemas/common.ts';
import { setTenantTerms, toTenantJson } from '../administration/tenant-terms.ts';
import { countPrunable, pruneRuns } from '../sweeper/prune-runs.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { toRunJson } from '../runs/run-json.ts';
import { RunFilter } from '../schemas/run.ts';
import { setSwitch } from '../administration/set-switch.ts';
import { findRun, listHistory } from '../runs/read-run.ts';

const adminTag = tagged('admin');

const putTenantRoute = adminTag.put('/admin/tenants/{id}', 'admin', {
  id: 'putTenant',
  summary:
    'Say what a tenant may use up, or suspend it, in place of what was said before; it wins over the configuration',
  params: TenantId,
  body: NewTenantTermsSchema,
  audit: auditPathId('tenant.set'),
  answers: {
    200: jsonAnswer(TenantSchema, 'The tenant, of which something was said before'),
    201: jsonAnswer(TenantSchema, 'The tenant'),
  },
  handle: (deps) => async (c) => {
    const tenantId = c.req.valid('param').id;
    const { terms, isNew } = await setTenantTerms(deps, c.get('caller'), { tenantId, ...c.req.valid('json') });
    return c.json(toTenantJson(deps.settings, tenantId, terms), isNew ? 201 : 200);
  },
});

const listTenantsRoute = adminTag.get('/admin/tenants', 'admin', {
  id: 'listTenants',
  summary: 'The tenants of which an administrator has said something, by name',
  query: PageQuery,
  answers: { 200: jsonAnswer(TenantListSchema, 'A page of tenants') },
  handle: (deps) => async (c) => {
    const asked = { list: ['tenants'], ...c.req.valid('query') };
    const page = await readPageByCursor(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.tenantTerms.list(request), (terms) =>
        toTenantJson(deps.settings, terms.tenantId, terms),
      ),
    );
    return c.json(page, 200);
  },
});

const getTenantRoute = adminTag.get('/admin/tenants/{id}', 'admin', {
  id: 'getTenant',
  summary: 'What a tenant may use up, and who says so; any name is one',
  params: TenantId,
  answers: { 200: jsonAnswer(TenantSchema, 'The tenant') },
  handle: (deps) => async (c) => {
    const tenantId = c.req.valid('param').id;
    const terms = await deps.store.tenantTerms.find(tenantId);
    return c.json(toTenantJson(deps.settings, tenantId, terms), 200);
  },
});

const deleteTenantRoute = adminTag.delete('/admin/tenants/{id}', 'admin', {
  id: 'deleteTenant',
  summary: 'Forget what an administrator has said of a tenant: the configuration counts',
  params: TenantId,
  audit: auditPathId('tenant.delete'),
  answers: { 204: { description: 'The configuration counts' } },
  handle: (deps) => async (c) => {
    await deps.store.tenantTerms.remove(c.req.valid('param').id);
    deps.store.overrides.forget();
    return c.body(null, 204);
  },
});

const listAuditRoute = adminTag.get('/admin/audit', 'admin', {
  id: 'listAudit',
  summary: 'Who has done what over HTTP, in all tenants, the newest first',
  query: AuditQuery,
  answers: { 200: jsonAnswer(AuditSchema, 'A page of entries') },
  handle: (deps) => async (c) => {
    const { limit, cursor, ...filter } = c.req.valid('query');
    const asked = { list: ['audit', filter], limit, cursor };
    return c.json(
      await readPageByCursor(deps.cursors, asked, (request) => deps.store.audit.list(filter, request)),
      200,
    );
  },
});

const PruneSchema = z
  .strictObject({ dryRun: z.boolean().openapi({ description: 'True: only count what would go' }) })
  .openapi('Prune', { example: { dryRun: true } });

const PrunedSchema = z
  .object({
    dryRun: z.boolean(),
    runs: z.int(),
    events: z.int(),
    checkpoints: z.int(),
    approvals: z.int(),
    ledger: z.int(),
    blobs: z.int(),
  })
  .openapi('Pruned', {
    example: { dryRun: true, runs: 12, events: 340, checkpoints: 61, approvals: 4, ledger: 38, blobs: 0 },
  });

const pruneRunsRoute = adminTag.post('/admin/prune', 'admin', {
  id: 'pruneRuns',
  summary: 'Forget what has outlived the retention of the configuration',
  body: PruneSchema,
  audit: 'by-handler',
  answers: { 200: jsonAnswer(PrunedSchema, 'How many rows went, or would go') },
  handle: (deps) => async (c) => {
    const { dryRun } = c.req.valid('json');
    if (!dryRun) await c.get('recordAct')({ action: 'retention.prune', subject: null });
    const pruned = dryRun ? await countPrunable(deps) : await pruneRuns(deps, deps.shuttingDown);
    return c.json({ dryRun, ...pruned }, 200);
  },
});

/** The first page of a run's events and calls. */
const FIRST_PAGE = { limit: 50 };

const listRunsOfAllRoute = adminTag.get('/admin/runs', 'admin', {
  id: 'listRunsOfAll',
  summary: 'The runs of all tenants, the newest first',
  query: PageQuery.extend({
    ...RunFilter.shape,
    tenantId: z.string().min(1).optional().openapi({ description: 'Only runs of this tenant' }),
  }),
  answers: { 200: jsonAnswer(AdminRunListSchema, 'A page of runs') },
  handle: (deps) => async (c) => {
    const { limit, cursor, ...filter } = c.req.valid('query');
    const asked = { list: ['runs of all', filter], limit, cursor };
    const page = await readPageByCursor(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.runs.listOfAll(filter, request), (run) => toRunOfTenant(run, c.get('caller'))),
    );
    return c.json(page, 200);
  },
});

const inspectRunRoute = adminTag.get('/admin/runs/{id}', 'admin', {
  id: 'inspectRun',
  summary: 'A run of any tenant with its events, its calls in the ledger, and its activities in Temporal',
  params: idOf('run'),
  answers: { 200: jsonAnswer(InspectedRunSchema, 'The run') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const [events, ledger, pendingActivities, retrying] = await Promise.all([
      listHistory(deps, caller, { run, ...FIRST_PAGE }),
      listLedger(deps, { run, ...FIRST_PAGE }),
      pendingActivitiesOf(deps, run),
      deps.store.ledger.retrying(run.id),
    ]);
    return c.json({ run: toRunOfTenant(run, caller, { retrying }), events, ledger, pendingActivities }, 200);
  },
});

const listLedgerRoute = adminTag.get('/admin/runs/{id}/ledger', 'admin', {
  id: 'listLedger',
  summary: 'The calls of a run of any tenant, ordered by their keys',
  params: idOf('run'),
  query: PageQuery,
  answers: { 200: jsonAnswer(LedgerSchema, 'A page of calls') },
  problems: [404],
  handle: (deps) => async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(await listLedger(deps, { run, ...c.req.valid('query') }), 200);
  },
});

function toRunOfTenant(run: RunRecord, caller: Caller, live: Parameters<typeof toRunJson>[2] = {}) {
  return { ...toRunJson(run, caller, live), tenantId: run.tenantId };
}

interface AskedLedger {
  readonly run: RunRecord;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

async function listLedger({ cursors, store }: ApiDeps, { run, ...page }: AskedLedger) {
  const asked = { list: ['ledger', run.tenantId, run.id], ...page };
  return await readPageByCursor(cursors, asked, (request) => store.ledger.list(run.id, request));
}

/** The stored data is returned even if Temporal is unavailable. */
async function pendingActivitiesOf({ engine }: ApiDeps, { tenantId, id }: RunRecord) {
  return await engine.pendingActivities({ tenantId, id }).catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
}

const putSwitchRoute = adminTag.put('/admin/switches/{kind}/{name}', 'admin', {
  id: 'putSwitch',
  summary: 'Switch off a tool, a model, other code or a graph, or on again: its calls wait, no run of the graph begins',
  params: KindAndName,
  body: NewSwitchSchema,
  audit: 'by-handler',
  answers: {
    200: jsonAnswer(SwitchSchema, 'The switch, which was there before'),
    201: jsonAnswer(SwitchSchema, 'The new switch'),
  },
  problems: [404],
  handle: (deps) => async (c) => {
    const key = c.req.valid('param');
    const { tenants = null, ...given } = c.req.valid('json');
    const { set, isNew } = await setSwitch(deps, c.get('caller'), { ...key, ...given, tenants });
    c.set('acts', [{ action: `switch.${set.state}`, subject: `${key.kind}/${key.name}` }]);
    return c.json(set, isNew ? 201 : 200);
  },
});

const listSwitchesRoute = adminTag.get('/admin/switches', 'admin', {
  id: 'listSwitches',
  summary: 'The switches by kind and name; what has none is on',
  query: PageQuery,
  answers: { 200: jsonAnswer(SwitchListSchema, 'A page of switches') },
  handle: (deps) => async (c) => {
    const asked = { list: ['switches'], ...c.req.valid('query') };
    return c.json(await readPageByCursor(deps.cursors, asked, (request) => deps.store.switches.list(request)), 200);
  },
});

const deleteSwitchRoute = adminTag.delete('/admin/switches/{kind}/{name}', 'admin', {
  id: 'deleteSwitch',
  summary: 'Forget a switch: the thing is on',
  params: KindAndName,
  audit: {
    action: 'switch.delete',
    subject: ({ kind, name }) => `${kind ?? ''}/${name ?? ''}`,
  },
  answers: { 204: { description: 'The thing is on' } },
  handle: (deps) => async (c) => {
    await deps.store.switches.remove(c.req.valid('param'));
    deps.store.overrides.forget();
    return c.body(null, 204);
  },
});

/** Routes for administrators: tenants, audit log, retention, runs of all tenants, switches. */
export const adminRoutes = routes(
  pruneRunsRoute,
  listRunsOfAllRoute,
  inspectRunRoute,
  listLedgerRoute,
  putTenantRoute,
  listTenantsRoute,
  getTenantRoute,
  deleteTenantRoute,
  putSwitchRoute,
  listSwitchesRoute,
  deleteSwitchRoute,
  listAuditRoute,
);
