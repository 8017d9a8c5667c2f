import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Limits } from '../../graph/definition.ts';
import { toJson, toJsonObject } from '../../graph/json.ts';
import type { ApiDeps, ApiEnv } from '../environment.ts';
import { ApiError } from '../errors.ts';
import { editState } from '../edit-state.ts';
import { findRun } from '../find-run.ts';
import { listCheckpoints } from '../list-checkpoints.ts';
import { authorized } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { readPage } from '../paging.ts';
import { etagOf, readState } from '../read-state.ts';
import { redactEvent } from '../redact-event.ts';
import { routes } from '../router.ts';
import type { AddRoute } from '../router.ts';
import { toRunJson } from '../run-json.ts';
import { Id, MAX_BODY_BYTES, PageQuery, body, json, problems, security } from '../schemas/common.ts';
import {
  CheckpointListSchema,
  EditSchema,
  HistorySchema,
  NewRunSchema,
  RunListSchema,
  RunSchema,
  RunStatusSchema,
  StateSchema,
} from '../schemas/run.ts';
import { startRun } from '../start-run.ts';
import { readWait, waitForRun } from '../wait-for-run.ts';

const tags = ['runs'];
const Prefer = z.object({
  prefer: z
    .string()
    .optional()
    .openapi({ description: 'wait=N: answer when the run ends or waits, after N seconds (60 at most) at the latest' }),
});

const start: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/runs',
    tags,
    security,
    summary: 'Start a run of a graph',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { ...body(NewRunSchema), headers: Prefer },
    responses: { 201: json(RunSchema, 'The run'), ...problems(400, 404, 409, 413, 415, 422) },
  });
  router.openapi(route, async (c) => {
    const { graph, input, limits, metadata, startAt, interruptBefore, interruptAfter } = c.req.valid('json');
    const { id } = c.get('attempt');
    const wanted = {
      graph: toJson(graph),
      input: toJsonObject(input),
      limits: given(limits ?? {}),
      startAt: startAt ?? null,
      breakpoints: { before: interruptBefore ?? [], after: interruptAfter ?? [] },
      metadata: toJsonObject(metadata),
    };
    await startRun(deps, c.get('caller'), { id, wanted });
    c.header('location', `/api/runs/${id}`);
    return c.json(await readRun(c, deps, id), 201);
  });
};

const list: AddRoute = (router, deps) => {
  const Filter = z.object({
    status: RunStatusSchema.optional(),
    graph: z.string().optional(),
    createdAfter: z.iso.datetime({ offset: true }).transform(toStorableTime).optional(),
  });
  const route = createRoute({
    method: 'get',
    path: '/api/runs',
    tags,
    security,
    summary: 'The runs of the tenant, the newest first',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { query: PageQuery.extend(Filter.shape) },
    responses: { 200: json(RunListSchema, 'A page of runs'), ...problems(400, 422) },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    const { limit, cursor, ...filter } = c.req.valid('query');
    const { request, cursorOf } = readPage(deps.cursors, ['runs', tenantId, filter], { limit, cursor });
    const { items, next } = await deps.store.runs.list(tenantId, filter, request);
    return c.json({ items: items.map((run) => toRunJson(run, [])), nextCursor: cursorOf(next) }, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}',
    tags,
    security,
    summary: 'A run',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: Id, headers: Prefer },
    responses: { 200: json(RunSchema, 'The run'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const { id } = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(await readRun(c, deps, id), 200);
  });
};

const state: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/state',
    tags,
    security,
    summary: 'The channel values of a run, now or at a checkpoint',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: Id, query: z.object({ checkpoint: z.string().min(1).optional() }) },
    responses: { 200: json(StateSchema, 'The state'), ...problems(404, 422) },
  });
  router.openapi(route, async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const found = await readState(deps, run, c.req.valid('query').checkpoint ?? null);
    c.header('etag', etagOf(run.id, found.checkpoint));
    return c.json(found, 200);
  });
};

const edit: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'patch',
    path: '/api/runs/{id}/state',
    tags,
    security,
    summary: 'Correct the channel values of a run that waits or is paused',
    middleware: [authorized(deps, 'state:edit'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: Id, ...body(EditSchema), headers: z.object({ 'if-match': z.string().optional() }) },
    responses: { 200: json(StateSchema, 'The new state'), ...problems(400, 404, 409, 412, 413, 415, 422, 428) },
  });
  router.openapi(route, async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const { values, asNode } = c.req.valid('json');
    const wanted = { values: toJsonObject(values), asNode, ifMatch: c.req.header('if-match') };
    await editState(deps, c.get('caller'), { run, attempt: c.get('attempt'), wanted });
    const found = await readState(deps, await findRun(deps, c.get('caller'), run.id), null);
    c.header('etag', etagOf(run.id, found.checkpoint));
    return c.json(found, 200);
  });
};

const checkpoints: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/checkpoints',
    tags,
    security,
    summary: 'The checkpoints of a run, the newest first',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: Id, query: PageQuery },
    responses: { 200: json(CheckpointListSchema, 'A page of checkpoints'), ...problems(400, 404, 422) },
  });
  router.openapi(route, async (c) => {
    const { id, tenantId } = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const { request, cursorOf } = readPage(deps.cursors, ['checkpoints', tenantId, id], c.req.valid('query'));
    const { items, next } = await listCheckpoints(deps.store, id, { limit: request.limit, before: request.after?.id });
    return c.json({ items, nextCursor: cursorOf(next) }, 200);
  });
};

const history: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/history',
    tags,
    security,
    summary: 'Every event of a run, in order',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: Id, query: PageQuery },
    responses: { 200: json(HistorySchema, 'A page of events'), ...problems(400, 404, 422) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { id, tenantId, redacted } = await findRun(deps, caller, c.req.valid('param').id);
    const { request, cursorOf } = readPage(deps.cursors, ['history', tenantId, id], c.req.valid('query'));
    const after = Number(request.after?.id ?? 0);
    const events = await deps.store.journal.events(id, after, request.limit + 1);
    const items = events.slice(0, request.limit);
    const hidden = new Set(caller.permissions.has('payload:read') ? [] : redacted);
    const last = items.at(-1);
    const next = events.length > items.length && last ? { at: last.at, id: String(last.seq) } : null;
    return c.json({ items: items.map((event) => redactEvent(event, hidden)), nextCursor: cursorOf(next) }, 200);
  });
};

/** Starting and reading runs. */
export const runRoutes = routes(start, list, read, state, edit, checkpoints, history);

async function readRun(c: Context<ApiEnv>, deps: ApiDeps, id: string) {
  const seconds = readWait(c.req.header('prefer'));
  const run =
    seconds === null
      ? await deps.store.runs.find(id)
      : await waitForRun(deps, id, { seconds, signal: c.req.raw.signal });
  if (!run) throw new ApiError('UNKNOWN_RUN', `There is no run "${id}"`);
  if (seconds !== null) c.header('preference-applied', `wait=${seconds}`);
  return toRunJson(run, await deps.store.ledger.retrying(id));
}

/** The limits that were given. */
function given(limits: NonNullable<z.output<typeof NewRunSchema>['limits']>): Limits {
  return toJsonObject(limits);
}

/** The time in UTC; nothing is older than the epoch, and PostgreSQL knows neither the year 0 nor offsets over 16 hours. */
function toStorableTime(time: string): string {
  return new Date(Math.max(0, Date.parse(time))).toISOString();
}
