import { createRoute, z } from '@hono/zod-openapi';
import { ApiError } from '../http/errors.ts';
import { readPage } from '../http/paging.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { hiddenFrom } from '../redaction.ts';
import { listCalls, readCall } from '../runs/read-calls.ts';
import { findRun } from '../runs/run-json.ts';
import { CallListSchema, CallQuery, CallSchema, RunAndKey, RecordingSchema } from '../schemas/call.ts';
import { NoQuery, idOf, json, problems } from '../schemas/common.ts';
import { drawDiagram } from '../runs/draw-diagram.ts';
import { explainRun } from '../explain/explain-run.ts';
import { readFacts } from '../explain/read-facts.ts';
import { ExplanationSchema } from '../schemas/explanation.ts';
import type { Recording } from '../../graph/replay/index.ts';
import { mapValues, toJsonObject } from '../../graph/values/index.ts';
import { readRecording } from '../runs/replay-run.ts';

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

const Query = z.strictObject({
  format: z.enum(['mermaid', 'plantuml']).default('mermaid').openapi({ description: 'The language of the drawing' }),
  run: z.string().min(1).optional().openapi({
    description: 'A run of the graph: its version is drawn, visited nodes and the current ones are marked',
  }),
});

const diagram: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/graphs/{name}/diagram',
    operationId: 'drawGraph',
    tags: ['graphs'],
    security: needs('run:read', 'graph:publish'),
    summary: 'A graph as a drawing, in the text of Mermaid or PlantUML',
    middleware: [authorized(deps, 'run:read', 'graph:publish')] as const,
    request: { params: z.object({ name: z.string().openapi({ description: 'The name of the graph' }) }), query: Query },
    responses: {
      200: { description: 'The drawing', content: { 'text/plain': { schema: z.string() } } },
      ...problems(404),
    },
  });
  router.openapi(route, async (c) => {
    const text = await drawDiagram(deps, c.get('caller'), { ...c.req.valid('param'), ...c.req.valid('query') });
    return c.text(text, 200);
  });
};

/** Routes of diagrams. */
export const diagramRoutes = routes(diagram);

const explain: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/explain',
    operationId: 'explainRun',
    tags: ['runs'],
    security: needs('run:read'),
    summary: 'Why a run waits or has stopped, and who can do what now',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: idOf('run'), query: NoQuery },
    responses: { 200: json(ExplanationSchema, 'The explanation'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    return c.json(explainRun(await readFacts(deps, caller, run)), 200);
  });
};

/** Explanations of runs. */
export const explanationRoutes = routes(explain);

const recording: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/runs/{id}/recording',
    operationId: 'getRecording',
    tags: ['state'],
    security: needs('payload:read'),
    summary: 'All that makes an ended run happen again: its graph, its beginning, and what happened to it',
    middleware: [authorized(deps, 'payload:read')] as const,
    request: { params: idOf('run'), query: NoQuery },
    responses: { 200: json(RecordingSchema, 'The recording, with all that the run hides'), ...problems(404, 409) },
  });
  router.openapi(route, async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(toAnswer(await readRecording(deps, run)), 200);
  });
};

function toAnswer({ events, occurrences, answers, ...facts }: Recording) {
  return {
    identity: toJsonObject(facts.identity),
    definition: toJsonObject(facts.definition),
    catalog: toJsonObject(facts.catalog),
    redaction: toJsonObject(facts.redaction),
    begin: toJsonObject(facts.begin),
    events: events.map(toJsonObject),
    occurrences: occurrences.map(toJsonObject),
    answers: mapValues(answers, toJsonObject),
  };
}

/** The recording of a run. */
export const recordingRoutes = routes(recording);
