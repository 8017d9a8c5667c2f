import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import { diffRuns } from '../runs/diff-runs.ts';
import { editState } from '../runs/edit-state.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import type { RunRecord } from '../../store/runs.ts';
import { toRunJson } from '../runs/run-json.ts';
import { listCheckpoints, readState } from '../runs/read-state.ts';
import { hiddenFrom, redactDiff, redactState } from '../redaction.ts';
import { ApiError } from '../http/errors.ts';
import { readPageByCursor } from '../http/paging.ts';
import { replayRun } from '../runs/replay-run.ts';
import { auditPathId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import { PageQuery, jsonAnswer, idOf } from '../schemas/common.ts';
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
import { stateEtagOf } from '../http/etag.ts';
import { findRun } from '../runs/read-run.ts';

const stateTag = tagged('state');

const IfMatchHeader = z.object({
  'if-match': z
    .string()
    .min(1)
    .openapi({ description: 'The `ETag` of the state that is corrected, several of them, or `*` for any state' }),
});

/** Middleware: requires an `If-Match` header. It comes before the body and the resource are read. */
function requireIfMatch() {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const named = c.req.header('if-match') ?? '';
    if (named.trim() === '')
      throw new ApiError('PRECONDITION_REQUIRED', 'An edit names the state that it corrects: If-Match with its ETag');
    await next();
  });
}

const getStateRoute = stateTag.get('/api/runs/{id}/state', 'run:read', {
  id: 'getState',
  summary: 'The channel values of a run, now or at a checkpoint',
  params: idOf('run'),
  query: z.strictObject({
    checkpoint: z.string().min(1).optional().openapi({ description: 'A checkpoint of the run; absent: now' }),
  }),
  answers: { 200: jsonAnswer(StateSchema, 'The state', 'etag') },
  problems: [404],
  handle: (deps) => async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const found = await readState(deps, run, c.req.valid('query').checkpoint ?? null);
    return answerState(c, deps, run, found);
  },
});

const editStateRoute = stateTag.patch('/api/runs/{id}/state', 'state:edit', {
  id: 'editState',
  summary: 'Correct the channel values of a run that waits, is paused or has ended',
  params: idOf('run'),
  body: EditSchema,
  headers: IfMatchHeader,
  audit: auditPathId('run.edit'),
  answers: { 200: jsonAnswer(StateSchema, 'The new state', 'etag') },
  problems: [404, 412, 428],
  before: () => [requireIfMatch()],
  handle: (deps) => async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const { values, asNode } = c.req.valid('json');
    const ifMatch = c.req.header('if-match') ?? '';
    const wanted = { values: toJsonObject(values), asNode, ifMatch, attempt: c.get('attempt') };
    await editState(deps, c.get('caller'), run, wanted);
    const edited = await findRun(deps, c.get('caller'), run.id);
    return answerState(c, deps, edited, await readState(deps, edited, null));
  },
});

const listCheckpointsRoute = stateTag.get('/api/runs/{id}/checkpoints', 'run:read', {
  id: 'listCheckpoints',
  summary: 'The checkpoints of a run, the newest first',
  params: idOf('run'),
  query: PageQuery.extend({
    tree: z
      .enum(['true', 'false'])
      .optional()
      .openapi({ description: '`true`: also those of its forks and of the run that it was forked from' }),
  }),
  answers: { 200: jsonAnswer(CheckpointListSchema, 'A page of checkpoints') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { id, tenantId } = await findRun(deps, caller, c.req.valid('param').id);
    const { tree, ...query } = c.req.valid('query');
    const runIds = tree === 'true' ? await deps.store.runs.family(id) : [id];
    const list = ['checkpoints', tenantId, id, tree ?? ''];
    const page = await readPageByCursor(deps.cursors, { list, ...query }, (request) =>
      listCheckpoints(deps.store, caller, runIds, request),
    );
    return c.json(page, 200);
  },
});

const forkRunRoute = stateTag.post('/api/runs/{id}/fork', 'state:edit', {
  id: 'forkRun',
  summary: 'Start another run from a checkpoint of this one',
  params: idOf('run'),
  body: ForkSchema,
  audit: auditPathId('run.fork'),
  answers: { 201: jsonAnswer(RunSchema, 'The new run', 'location') },
  problems: [404, 429],
  handle: (deps) => async (c) => {
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
  },
});

const replayRunRoute = stateTag.post('/api/runs/{id}/replay', 'run:start', {
  id: 'replayRun',
  summary: 'Make a run of the recorded answers of this one, which has ended',
  params: idOf('run'),
  body: ReplaySchema,
  audit: auditPathId('run.replay'),
  answers: {
    201: jsonAnswer(
      RunSchema,
      'The replay; `divergence` is the first event that is not as it was recorded',
      'location',
    ),
  },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const { graph, input } = c.req.valid('json');
    const { id } = c.get('attempt');
    await replayRun(deps, caller, run, {
      id,
      graph: graph === undefined ? null : toJson(graph),
      input: input ? toJsonObject(input) : null,
    });
    c.header('location', `/api/runs/${id}`);
    return c.json(toRunJson(await findRun(deps, caller, id), caller), 201);
  },
});

const diffRunsRoute = stateTag.get('/api/runs/{id}/diff', 'run:read', {
  id: 'diffRuns',
  summary: 'Where two runs part, and what differs since',
  params: idOf('run'),
  query: z.strictObject({ with: z.string().min(1).openapi({ description: 'The id of the other run' }) }),
  answers: { 200: jsonAnswer(DiffSchema, 'The differences') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const one = await findRun(deps, caller, c.req.valid('param').id);
    const other = await findRun(deps, caller, c.req.valid('query').with);
    return c.json(
      redactDiff(
        await diffRuns(deps, one, other),
        [one, other].map((run) => hiddenFrom(caller, run)),
      ),
      200,
    );
  },
});

/** Routes of a run's state: read, edit, checkpoints, fork, replay, diff. */
export const stateRoutes = routes(
  getStateRoute,
  editStateRoute,
  listCheckpointsRoute,
  forkRunRoute,
  replayRunRoute,
  diffRunsRoute,
);

/** Answers with the `ETag` that an edit of the state must send. */
export function answerState(
  c: Context<ApiEnv>,
  { fingerprints }: Pick<ApiDeps, 'fingerprints'>,
  run: RunRecord,
  state: Awaited<ReturnType<typeof readState>>,
) {
  const hidden = hiddenFrom(c.get('caller'), run);
  c.header('etag', stateEtagOf(fingerprints, { runId: run.id, state, hidden }));
  return c.json(redactState(state, hidden), 200);
}
