import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Limits } from '../../graph/definition/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { findRun, unknownRun, listHistory, toRunJson, toRunPage } from '../runs/run-json.ts';
import { authorized, needs, requirePermission, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { readPage } from '../http/paging.ts';
import { readWait, limitedWaits } from '../middleware/limited.ts';
import { createTenantSlots } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems, idOf } from '../schemas/common.ts';
import { HistoryQuery, HistorySchema, NewRunSchema, RunListSchema, RunSchema, RunFilter } from '../schemas/run.ts';
import { startRun } from '../runs/start-run.ts';
import { waitForRun } from '../runs/until-run.ts';

const tags = ['runs'];
const Prefer = z.object({
  prefer: z
    .string()
    .optional()
    .openapi({ description: 'wait=N: answer when the run ends or waits, after N seconds (60 at most) at the latest' }),
});

const start =
  (slots: TenantSlots): AddRoute =>
  (router, deps) => {
    const route = createRoute({
      method: 'post',
      path: '/api/runs',
      operationId: 'startRun',
      tags,
      security: needs('run:start'),
      summary: 'Start a run of a graph',
      middleware: [
        authorized(deps, 'run:start'),
        limitedWaits(slots),
        jsonBody(MAX_BODY_BYTES),
        idempotent(deps),
      ] as const,
      request: { ...body(NewRunSchema), headers: KeyHeader.extend(Prefer.shape) },
      responses: {
        201: json(RunSchema, 'The run', 'location', 'preference-applied'),
        ...problems(400, 404, 409, 413, 415, 429),
      },
    });
    router.openapi(route, async (c) => {
      const { graph, input, limits, metadata, threadId, onBusy, startAt, interruptBefore, interruptAfter } =
        c.req.valid('json');
      const { id, isRepetition } = c.get('attempt');
      if (onBusy === 'interrupt') requirePermission(c.get('caller'), 'run:control');
      const wanted = {
        graph: toJson(graph),
        input: toJsonObject(input),
        threadId: threadId ?? null,
        onBusy,
        limits: given(limits ?? {}),
        startAt: startAt ?? null,
        breakpoints: { before: interruptBefore ?? [], after: interruptAfter ?? [] },
        metadata: toJsonObject(metadata),
      };
      const begin = async (): Promise<void> => await startRun(deps, c.get('caller'), { id, wanted });
      // A repeated request may find that its run has ended long since, so it looks at once.
      if (isRepetition) await begin();
      const run = await readRun(c, deps, { id, ...(!isRepetition && { begin }) });
      c.header('location', `/api/runs/${id}`);
      return c.json(run, 201);
    });
  };

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs',
    operationId: 'listRuns',
    tags,
    security: needs('run:read'),
    summary: 'The runs of the tenant, the newest first',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { query: PageQuery.extend(RunFilter.shape) },
    responses: { 200: json(RunListSchema, 'A page of runs'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const { limit, cursor, ...filter } = c.req.valid('query');
    const list = ['runs', tenantId, filter];
    const page = await readPage(deps.cursors, { list, limit, cursor }, async (request) =>
      toRunPage(deps, caller, await deps.store.runs.list(tenantId, filter, request)),
    );
    return c.json(page, 200);
  });
};

const read =
  (slots: TenantSlots): AddRoute =>
  (router, deps) => {
    const route = createRoute({
      method: 'get',
      path: '/api/runs/{id}',
      operationId: 'getRun',
      tags,
      security: needs('run:read'),
      summary: 'A run',
      middleware: [authorized(deps, 'run:read'), limitedWaits(slots)] as const,
      request: { params: idOf('run'), query: NoQuery, headers: Prefer },
      responses: { 200: json(RunSchema, 'The run', 'preference-applied'), ...problems(404, 429) },
    });
    router.openapi(route, async (c) => {
      const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
      return c.json(await readRun(c, deps, { id: run.id, found: run }), 200);
    });
  };

const history: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/history',
    operationId: 'getHistory',
    tags,
    security: needs('run:read'),
    summary: 'Every event of a run, in order',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: idOf('run'), query: HistoryQuery },
    responses: { 200: json(HistorySchema, 'A page of events'), ...problems(400, 404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const page = await listHistory(deps, caller, { run, ...c.req.valid('query') });
    return c.json(page, 200);
  });
};

/** Routes of runs: start and read. */
export function runRoutes(deps: ApiDeps): ReturnType<ReturnType<typeof routes>> {
  const slots = createTenantSlots(deps.settings.waits);
  return routes(start(slots), list, read(slots), history)(deps);
}

interface RunToRead {
  readonly id: string;
  /** The run as it was found in this moment. */
  readonly found?: RunRecord;
  /** Starts the run. */
  readonly begin?: () => Promise<void>;
}

/** Reads a run, and waits for it if the request prefers that. */
async function readRun(c: Context<ApiEnv>, deps: ApiDeps, { id, found, begin }: RunToRead) {
  const seconds = readWait(c.req.header('prefer'));
  const unwanted = [c.req.raw.signal, deps.shuttingDown];
  if (seconds === null) await begin?.();
  const run =
    seconds === null
      ? (found ?? (await deps.store.runs.find(id)))
      : await waitForRun(deps, id, { ...(begin && { begin }), seconds, unwanted });
  if (!run) throw unknownRun(id);
  if (seconds !== null) c.header('preference-applied', `wait=${seconds}`);
  const retrying = isEnded(run.status) ? [] : await deps.store.ledger.retrying(id);
  return toRunJson(run, c.get('caller'), { retrying });
}

/** Removes limits that are not given. */
function given(limits: NonNullable<z.output<typeof NewRunSchema>['limits']>): Limits {
  return toJsonObject(limits);
}
