import { createRoute } from '@hono/zod-openapi';
import { mapValues, toJsonObject } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { body, json, problems } from '../../schemas/common.ts';
import { GraphReference, NewGraphTestSchema, TestedGraphSchema } from '../../schemas/graph-test.ts';
import { testGraph } from '../../trials/test-graph.ts';

const MAX_BODY_BYTES = 4 * 1_048_576;

const test: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/graphs/{name}/test',
    operationId: 'testGraph',
    tags: ['graphs'],
    security: needs('graph:publish'),
    summary: 'Play a graph with given outputs of its nodes; nothing is called and nothing is kept',
    middleware: [authorized(deps, 'graph:publish'), jsonBody(MAX_BODY_BYTES)] as const,
    request: { params: GraphReference, ...body(NewGraphTestSchema) },
    responses: { 200: json(TestedGraphSchema, 'How its run went'), ...problems(400, 404, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const { input, outputs, decisions, events, expect } = c.req.valid('json');
    const test = {
      input: toJsonObject(input),
      outputs: mapValues(toJsonObject(outputs), toOutputs),
      decisions,
      events,
      expect: { path: expect.path, state: expect.state && toJsonObject(expect.state) },
    };
    return c.json(await testGraph(deps, c.get('caller'), { reference: c.req.valid('param').name, test }), 200);
  });
};

function toOutputs(outputs: Json): readonly Json[] {
  return Array.isArray(outputs) ? outputs : [outputs];
}

/** The route that tests a graph. */
export const graphTestRoutes = routes(test);
