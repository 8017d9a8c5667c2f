import type { ThreadRecord } from '../../store/threads.ts';
import type { Caller } from '../http/authenticate.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { toRunPage } from '../runs/run-json.ts';
import { listCheckpoints, readState } from '../runs/read-state.ts';
import { readPageByCursor } from '../http/paging.ts';
import { routes, tagged } from '../middleware/route.ts';
import { PageQuery, jsonAnswer, idOf } from '../schemas/common.ts';
import { CheckpointListSchema, RunListSchema, StateSchema, ThreadSchema } from '../schemas/run.ts';
import { answerState } from './states.ts';
import { checkpointLeftBy } from '../runs/dispatch-run.ts';
import { findRun } from '../runs/read-run.ts';

const threadsTag = tagged('threads');

const getThreadRoute = threadsTag.get('/api/threads/{id}', 'run:read', {
  id: 'getThread',
  summary: 'A thread',
  params: idOf('thread'),
  answers: { 200: jsonAnswer(ThreadSchema, 'The thread') },
  problems: [404],
  handle: (deps) => async (c) => c.json(await findThread(deps, c.get('caller'), c.req.valid('param').id), 200),
});

const getThreadStateRoute = threadsTag.get('/api/threads/{id}/state', 'run:read', {
  id: 'getThreadState',
  summary: 'The channel values that the next run of a thread goes on from',
  params: idOf('thread'),
  answers: { 200: jsonAnswer(StateSchema, 'The state', 'etag') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { lastRunId } = await findThread(deps, c.get('caller'), c.req.valid('param').id);
    const left = await checkpointLeftBy(deps.store, lastRunId);
    const run = await findRun(deps, c.get('caller'), left?.runId ?? lastRunId);
    const found = await readState(deps, run, left?.id ?? null);
    return answerState(c, deps, run, found);
  },
});

const listThreadCheckpointsRoute = threadsTag.get('/api/threads/{id}/checkpoints', 'run:read', {
  id: 'listThreadCheckpoints',
  summary: 'The checkpoints of all runs of a thread, the newest first',
  params: idOf('thread'),
  query: PageQuery,
  answers: { 200: jsonAnswer(CheckpointListSchema, 'A page of checkpoints') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const { id } = await findThread(deps, caller, c.req.valid('param').id);
    const list = ['thread', tenantId, id];
    const page = await readPageByCursor(deps.cursors, { list, ...c.req.valid('query') }, async (request) =>
      listCheckpoints(deps.store, caller, await deps.store.threads.runIds(tenantId, id), request),
    );
    return c.json(page, 200);
  },
});

const listThreadRunsRoute = threadsTag.get('/api/threads/{id}/runs', 'run:read', {
  id: 'listThreadRuns',
  summary: 'The runs of a thread, the newest first',
  params: idOf('thread'),
  query: PageQuery,
  answers: { 200: jsonAnswer(RunListSchema, 'A page of runs') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const { id } = await findThread(deps, caller, c.req.valid('param').id);
    const list = ['thread runs', tenantId, id];
    const page = await readPageByCursor(deps.cursors, { list, ...c.req.valid('query') }, async (request) =>
      toRunPage(deps, caller, await deps.store.runs.list(tenantId, { threadId: id }, request)),
    );
    return c.json(page, 200);
  },
});

/** Routes of threads. */
export const threadRoutes = routes(
  getThreadRoute,
  getThreadStateRoute,
  listThreadCheckpointsRoute,
  listThreadRunsRoute,
);

/** Thread ids are scoped to the caller's tenant. */
async function findThread({ store }: ApiDeps, { tenantId }: Caller, id: string): Promise<ThreadRecord> {
  const thread = await store.threads.find(tenantId, id);
  if (!thread) throw new ApiError('UNKNOWN_THREAD', `There is no thread "${id}"`);
  return thread;
}
