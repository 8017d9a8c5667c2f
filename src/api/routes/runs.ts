import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Limits } from '../../graph/definition/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { toRunJson, toRunPage } from '../runs/run-json.ts';
import { readPageByCursor } from '../http/paging.ts';
import { readPreferredWait, limitWaitingRequests } from '../middleware/limited.ts';
import { createTenantSlots } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { routes, tagged } from '../middleware/route.ts';
import type { Route } from '../middleware/route.ts';
import { PageQuery, jsonAnswer, idOf } from '../schemas/common.ts';
import { HistoryQuery, HistorySchema, NewRunSchema, RunListSchema, RunSchema, RunFilter } from '../schemas/run.ts';
import { startRun } from '../runs/start-run.ts';
import { waitForRun } from '../runs/until-run.ts';
import { findRun, unknownRun, listHistory } from '../runs/read-run.ts';

const runsTag = tagged('runs');

const PreferHeader = z.object({
  prefer: z
    .string()
    .optional()
    .openapi({ description: 'wait=N: answer when the run ends or waits, after N seconds (60 at most) at the latest' }),
});

const startRunRoute = (slots: TenantSlots): Route =>
  runsTag.post('/api/runs', 'run:start', {
    id: 'startRun',
    summary: 'Start a run of a graph',
    body: NewRunSchema,
    headers: PreferHeader,
    audit: 'none',
    answers: { 201: jsonAnswer(RunSchema, 'The run', 'location', 'preference-applied') },
    problems: [404, 429],
    before: () => [limitWaitingRequests(slots)],
    handle: (deps) => async (c) => {
      const { graph, input, limits, metadata, threadId, onBusy, startAt, interruptBefore, interruptAfter } =
        c.req.valid('json');
      const { id, isRepetition } = c.get('attempt');
      const wanted = {
        graph: toJson(graph),
        input: toJsonObject(input),
        threadId: threadId ?? null,
        onBusy,
        limits: withoutAbsentLimits(limits ?? {}),
        startAt: startAt ?? null,
        breakpoints: { before: interruptBefore ?? [], after: interruptAfter ?? [] },
        metadata: toJsonObject(metadata),
      };
      const begin = async (): Promise<void> => await startRun(deps, c.get('caller'), id, wanted);
      // In a repeated request, the run may have ended long ago, so it is read at once.
      if (isRepetition) await begin();
      const run = await waitAndReadRun(c, deps, { id, ...(!isRepetition && { begin }) });
      c.header('location', `/api/runs/${id}`);
      return c.json(run, 201);
    },
  });

const listRunsRoute = runsTag.get('/api/runs', 'run:read', {
  id: 'listRuns',
  summary: 'The runs of the tenant, the newest first',
  query: PageQuery.extend(RunFilter.shape),
  answers: { 200: jsonAnswer(RunListSchema, 'A page of runs') },
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const { limit, cursor, ...filter } = c.req.valid('query');
    const list = ['runs', tenantId, filter];
    const page = await readPageByCursor(deps.cursors, { list, limit, cursor }, async (request) =>
      toRunPage(deps, caller, await deps.store.runs.list(tenantId, filter, request)),
    );
    return c.json(page, 200);
  },
});

const getRunRoute = (slots: TenantSlots): Route =>
  runsTag.get('/api/runs/{id}', 'run:read', {
    id: 'getRun',
    summary: 'A run',
    params: idOf('run'),
    headers: PreferHeader,
    answers: { 200: jsonAnswer(RunSchema, 'The run', 'preference-applied') },
    problems: [404, 429],
    before: () => [limitWaitingRequests(slots)],
    handle: (deps) => async (c) => {
      const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
      return c.json(await waitAndReadRun(c, deps, { id: run.id, found: run }), 200);
    },
  });

const getHistoryRoute = runsTag.get('/api/runs/{id}/history', 'run:read', {
  id: 'getHistory',
  summary: 'Every event of a run, in order',
  params: idOf('run'),
  query: HistoryQuery,
  answers: { 200: jsonAnswer(HistorySchema, 'A page of events') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const page = await listHistory(deps, caller, { run, ...c.req.valid('query') });
    return c.json(page, 200);
  },
});

/** Routes of runs: start and read. */
export function runRoutes(deps: ApiDeps): ReturnType<ReturnType<typeof routes>> {
  const slots = createTenantSlots(deps.settings.waits);
  return routes(startRunRoute(slots), listRunsRoute, getRunRoute(slots), getHistoryRoute)(deps);
}

interface RunToRead {
  readonly id: string;
  /** The run as it was just read. */
  readonly found?: RunRecord;
  /** Starts the run. */
  readonly begin?: () => Promise<void>;
}

/** Reads a run, after waiting for it if the request prefers that. */
async function waitAndReadRun(c: Context<ApiEnv>, deps: ApiDeps, { id, found, begin }: RunToRead) {
  const seconds = readPreferredWait(c.req.header('prefer'));
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
function withoutAbsentLimits(limits: NonNullable<z.output<typeof NewRunSchema>['limits']>): Limits {
  return toJsonObject(limits);
}
