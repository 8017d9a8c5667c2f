import { createRoute, z } from '@hono/zod-openapi';
import { notNow } from '../http/errors.ts';
import { createMeaningCheck } from '../../process/readiness/meaning-check.ts';
import { SHUTTING_DOWN, findUnavailable } from '../../process/readiness/readiness.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { NoQuery, json, problems } from '../schemas/common.ts';

const tags = ['operations'];
const Health = z.object({ status: z.literal('ok') }).openapi('Health', { example: { status: 'ok' } });

const alive: AddRoute = (router) => {
  const route = createRoute({
    method: 'get',
    path: '/healthz',
    operationId: 'checkAlive',
    tags,
    security: [],
    summary: 'The process is alive',
    request: { query: NoQuery },
    responses: { 200: json(Health, 'It is'), ...problems() },
  });
  router.openapi(route, (c) => c.json({ status: 'ok' as const }, 200));
};

const ready: AddRoute = (router, { store, engine, shuttingDown }) => {
  const route = createRoute({
    method: 'get',
    path: '/readyz',
    operationId: 'checkReady',
    tags,
    security: [],
    summary: 'Temporal and the database answer, and the process does not end',
    request: { query: NoQuery },
    responses: { 200: json(Health, 'They do'), ...problems(503) },
  });
  const checks = {
    'The database': () => store.ping(),
    'What memory means': createMeaningCheck(store.meaning),
    Temporal: () => engine.ping(),
  };
  router.openapi(route, async (c) => {
    const message = shuttingDown.aborted ? SHUTTING_DOWN : await findUnavailable(checks);
    if (message !== null) throw notNow(message);
    return c.json({ status: 'ok' as const }, 200);
  });
};

/** Routes of health probes, which need no token. */
export const healthRoutes = routes(alive, ready);
