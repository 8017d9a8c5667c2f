import { z } from '@hono/zod-openapi';
import { ApiError } from '../http/errors.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';
import { readPageByCursor } from '../http/paging.ts';
import { hiddenFrom } from '../redaction.ts';
import { listCalls, readCall } from '../runs/read-calls.ts';
import { routes, tagged } from '../middleware/route.ts';
import { CallListSchema, CallQuery, CallSchema, RunAndKey, RecordingSchema } from '../schemas/call.ts';
import { idOf, jsonAnswer } from '../schemas/common.ts';
import { readRunStart } from '../runs/new-run.ts';
import { drawDiagram } from '../runs/draw-diagram.ts';
import { explainRun } from '../explain/explain-run.ts';
import { readFacts } from '../explain/read-facts.ts';
import { RunGraphSchema } from '../schemas/graph.ts';
import { ExplanationSchema } from '../schemas/explanation.ts';
import type { Recording } from '../../graph/replay/index.ts';
import { mapValues, toJsonObject } from '../../graph/values/index.ts';
import { readRecording } from '../runs/replay-run.ts';
import { findRun } from '../runs/read-run.ts';

const runsTag = tagged('runs');
const graphsTag = tagged('graphs');
const stateTag = tagged('state');

const listCallsRoute = runsTag.get('/api/runs/{id}/calls', 'run:read', {
  id: 'listCalls',
  summary: 'The calls of a run: what was sent, what came back, and what failed on the way',
  params: idOf('run'),
  query: CallQuery,
  answers: { 200: jsonAnswer(CallListSchema, 'A page of calls') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    const { limit, cursor, ...filter } = c.req.valid('query');
    const asked = { list: ['calls', run.tenantId, run.id, filter], limit, cursor };
    const hidden = hiddenFrom(caller, run);
    const page = await readPageByCursor(deps.cursors, asked, async (request) =>
      listCalls(deps, { run, hidden }, filter, request),
    );
    return c.json(page, 200);
  },
});

const getCallRoute = runsTag.get('/api/runs/{id}/calls/{key}', 'run:read', {
  id: 'getCall',
  summary: 'A call of a run, with the whole answer; of several under one key, the latest',
  params: RunAndKey,
  answers: { 200: jsonAnswer(CallSchema, 'The call') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { id, key } = c.req.valid('param');
    const run = await findRun(deps, caller, id);
    const call = await readCall(deps, { run, hidden: hiddenFrom(caller, run) }, key);
    if (!call) throw new ApiError('NOT_FOUND', `Run ${id} has made no call "${key}"`);
    return c.json(call, 200);
  },
});

const DiagramQuery = z.strictObject({
  format: z.enum(['mermaid', 'plantuml']).default('mermaid').openapi({ description: 'The language of the drawing' }),
  run: z.string().min(1).optional().openapi({
    description: 'A run of the graph: its version is drawn, visited nodes and the current ones are marked',
  }),
});

const drawGraphRoute = graphsTag.get('/api/graphs/{name}/diagram', GRAPH_READERS, {
  id: 'drawGraph',
  summary: 'A graph as a drawing, in the text of Mermaid or PlantUML',
  params: z.object({ name: z.string().openapi({ description: 'The name of the graph' }) }),
  query: DiagramQuery,
  answers: { 200: { description: 'The drawing', content: { 'text/plain': { schema: z.string() } } } },
  problems: [404],
  handle: (deps) => async (c) => {
    const text = await drawDiagram(deps, c.get('caller'), { ...c.req.valid('param'), ...c.req.valid('query') });
    return c.text(text, 200);
  },
});

const explainRunRoute = runsTag.get('/api/runs/{id}/explain', 'run:read', {
  id: 'explainRun',
  summary: 'Why a run waits or has stopped, and who can do what now',
  params: idOf('run'),
  answers: { 200: jsonAnswer(ExplanationSchema, 'The explanation') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const run = await findRun(deps, caller, c.req.valid('param').id);
    return c.json(explainRun(await readFacts(deps, caller, run)), 200);
  },
});

const getRunGraphRoute = runsTag.get('/api/runs/{id}/graph', 'run:read', {
  id: 'getRunGraph',
  summary: 'The definition that a run interprets, and those of the graphs inside it, as the run has pinned them',
  params: idOf('run'),
  answers: { 200: jsonAnswer(RunGraphSchema, 'The graph') },
  problems: [404],
  handle: (deps) => async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    const { identity, definition, catalog } = await readRunStart(deps, run);
    const { name, version, hash } = identity.graph;
    const inside = mapValues(catalog.graphs ?? {}, toJsonObject);
    return c.json({ name, version, hash, definition: toJsonObject(definition), graphs: inside }, 200);
  },
});

const getRecordingRoute = stateTag.get('/api/runs/{id}/recording', 'payload:read', {
  id: 'getRecording',
  summary: 'All that makes an ended run happen again: its graph, its beginning, and what happened to it',
  params: idOf('run'),
  answers: { 200: jsonAnswer(RecordingSchema, 'The recording, with all that the run hides') },
  problems: [404, 409],
  handle: (deps) => async (c) => {
    const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(toRecordingJson(await readRecording(deps, run)), 200);
  },
});

function toRecordingJson({ events, occurrences, answers, ...facts }: Recording) {
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

/** Routes of the records of a run: calls, diagram, explanation, recording. */
export const recordRoutes = routes(
  drawGraphRoute,
  getRunGraphRoute,
  getRecordingRoute,
  explainRunRoute,
  listCallsRoute,
  getCallRoute,
);
