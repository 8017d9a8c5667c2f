import { createRoute } from '@hono/zod-openapi';
import type { Recording } from '../../graph/replay/index.ts';
import { mapValues, toJsonObject } from '../../graph/values/index.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { findRun } from '../runs/find-run.ts';
import { readRecording } from '../runs/read-recording.ts';
import { NoQuery, json, problems, idOf } from '../schemas/common.ts';
import { RecordingSchema } from '../schemas/recording.ts';

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
