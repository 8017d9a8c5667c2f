import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import { diffRuns } from '../runs/diff-runs.ts';
import { editState } from '../runs/edit-state.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import type { RunRecord } from '../../store/runs.ts';
import { findRun, toRunJson } from '../runs/run-json.ts';
import { listCheckpoints, readState } from '../runs/read-state.ts';
import { hiddenFrom, shownDiff, shownState } from '../redaction.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { ifMatch } from '../middleware/limited.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { readPage } from '../http/paging.ts';
import { replayRun } from '../runs/replay-run.ts';
import { KeyHeader, MAX_BODY_BYTES, PageQuery, body, json, problems, idOf } from '../schemas/common.ts';
import {
  CheckpointListSchema,
  DiffSchema,
  EditSchema,
  ForkSchema,
  ReplaySchema,
  RunSchema,
  StateSchema,
} from '../schemas/run.ts';
import { startFork } from '../runs/start-fork.ts';
import { etagOf } from '../http/etag.ts';

const tags = ['state'];
const IfMatch = z.object({
  'if-match': z
    .string()
    .min(1)
    .openapi({ description: 'The `ETag` of the state that is corrected, several of them, or `*` for any state' }),
});

const state: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/state',
    operationId: 'getState',
    tags,
    security: needs('run:read'),
    summary: 'The channel values of a run, now or at a checkpoint',
    middleware: [authorized(deps, 'run:read')] as const,
    request: {
      params: idOf('run'),
      query: z.strictObject({
        checkpoint: z.string().min(1).optional().openapi({ description: 'A checkpoint of the run; absent: now' }),
      }),
    },
    responses: { 200: json(StateSchema, 'The state', 'etag'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    return answerState(
      c,
      { run, seals: deps.seals },
      await readState(deps, run, c.req.valid('query').checkpoint ?? null),
    );
  });
};

const edit: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'patch',
    path: '/api/runs/{id}/state',
    operationId: 'editState',
    tags,
    security: needs('state:edit'),
    summary: 'Correct the channel values of a run that waits, is paused or has ended',
    middleware: [authorized(deps, 'state:edit'), ifMatch(), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('run'), ...body(EditSchema), headers: KeyHeader.extend(IfMatch.shape) },
    responses: { 200: json(StateSchema, 'The new state', 'etag'), ...problems(400, 404, 409, 412, 413, 415, 428) },
  });
  router.openapi(route, async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const { values, asNode } = c.req.valid('json');
    const wanted = { values: toJsonObject(values), asNode, ifMatch: c.req.valid('header')['if-match'] };
    await editState(deps, c.get('caller'), { run, attempt: c.get('attempt'), wanted });
    const edited = await findRun(deps, c.get('caller'), run.id);
    return answerState(c, { run: edited, seals: deps.seals }, await readState(deps, edited, null));
  });
};

const checkpoints: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/checkpoints',
    operationId: 'listCheckpoints',
    tags,
    security: needs('run:read'),
    summary: 'The checkpoints of a run, the newest first',
    middleware: [authorized(deps, 'run:read')] as const,
    request: {
      params: idOf('run'),
      query: PageQuery.extend({
        tree: z
          .enum(['true', 'false'])
          .optional()
          .openapi({ description: '`true`: also those of its forks and of the run that it was forked from' }),
      }),
    },
    responses: { 200: json(CheckpointListSchema, 'A page of checkpoints'), ...problems(400, 404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { id, tenantId } = await findRun(deps, caller, c.req.valid('param').id);
    const { tree, ...query } = c.req.valid('query');
    const runIds = tree === 'true' ? await deps.store.runs.family(id) : [id];
    const list = ['checkpoints', tenantId, id, tree ?? ''];
    const page = await readPage(deps.cursors, { list, ...query }, (request) =>
      listCheckpoints({ ...deps, caller }, runIds, request),
    );
    return c.json(page, 200);
  });
};

const fork: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/runs/{id}/fork',
    operationId: 'forkRun',
    tags,
    security: needs('state:edit'),
    summary: 'Start another run from a checkpoint of this one',
    middleware: [authorized(deps, 'state:edit'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('run'), ...body(ForkSchema), headers: KeyHeader },
    responses: { 201: json(RunSchema, 'The new run', 'location'), ...problems(400, 404, 409, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const parent = await findRun(deps, caller, c.req.valid('param').id);
    const { checkpoint, values, asNode, graph } = c.req.valid('json');
    const { id } = c.get('attempt');
    const wanted = {
      checkpoint,
      values: toJsonObject(values ?? {}),
      asNode: asNode ?? null,
      graph: graph === undefined ? null : toJson(graph),
    };
    await startFork(deps, caller, { id, parent, wanted });
    c.header('location', `/api/runs/${id}`);
    return c.json(toRunJson(await findRun(deps, caller, id), caller), 201);
  });
};

const replay: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/runs/{id}/replay',
    operationId: 'replayRun',
    tags,
    security: needs('run:start'),
    summary: 'Make a run of the recorded answers of this one, which has ended',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('run'), ...body(ReplaySchema), headers: KeyHeader },
    responses: {
      201: json(RunSchema, 'The replay; `divergence` is the first event that is not as it was recorded', 'location'),
      ...problems(400, 404, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const { graph, input } = c.req.valid('json');
    const { id } = c.get('attempt');
    const wanted = { graph: graph === undefined ? null : toJson(graph), input: input ? toJsonObject(input) : null };
    await replayRun(deps, caller, { id, run, wanted });
    c.header('location', `/api/runs/${id}`);
    return c.json(toRunJson(await findRun(deps, caller, id), caller), 201);
  });
};

const diff: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/diff',
    operationId: 'diffRuns',
    tags,
    security: needs('run:read'),
    summary: 'Where two runs part, and what differs since',
    middleware: [authorized(deps, 'run:read')] as const,
    request: {
      params: idOf('run'),
      query: z.strictObject({ with: z.string().min(1).openapi({ description: 'The id of the other run' }) }),
    },
    responses: { 200: json(DiffSchema, 'The differences'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const one = await findRun(deps, caller, c.req.valid('param').id);
    const other = await findRun(deps, caller, c.req.valid('query').with);
    return c.json(
      shownDiff(
        await diffRuns(deps, one, other),
        [one, other].map((run) => hiddenFrom(caller, run)),
      ),
      200,
    );
  });
};

/** Routes of a run's state: read, edit, checkpoints, fork, replay, diff. */
export const stateRoutes = routes(state, edit, checkpoints, fork, replay, diff);

/** Answers with the `ETag` that an edit of the state must name. */
function answerState(
  c: Context<ApiEnv>,
  { run, seals }: { readonly run: RunRecord; readonly seals: ApiDeps['seals'] },
  state: Awaited<ReturnType<typeof readState>>,
) {
  const hidden = hiddenFrom(c.get('caller'), run);
  c.header('etag', etagOf(seals, { runId: run.id, state, hidden }));
  return c.json(shownState(state, hidden), 200);
}
