import { createRoute } from '@hono/zod-openapi';
import { explainRun } from '../explain/explain-run.ts';
import { readFacts } from '../explain/read-facts.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { findRun } from '../runs/find-run.ts';
import { NoQuery, json, problems, idOf } from '../schemas/common.ts';
import { ExplanationSchema } from '../schemas/explanation.ts';

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
