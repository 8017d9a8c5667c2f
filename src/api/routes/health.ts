import { createRoute, z } from '@hono/zod-openapi';
import { unavailable } from '../errors.ts';
import { routes } from '../router.ts';
import type { AddRoute } from '../router.ts';
import { json, problems } from '../schemas/common.ts';

const tags = ['operations'];
const Health = z.object({ status: z.literal('ok') }).openapi('Health');

const alive: AddRoute = (router) => {
  const route = createRoute({
    method: 'get',
    path: '/healthz',
    tags,
    summary: 'The process is alive',
    responses: { 200: json(Health, 'It is') },
  });
  router.openapi(route, (c) => c.json({ status: 'ok' as const }, 200));
};

const ready: AddRoute = (router, { store, engine }) => {
  const route = createRoute({
    method: 'get',
    path: '/readyz',
    tags,
    summary: 'Temporal and the database answer',
    responses: { 200: json(Health, 'They do'), ...problems(503) },
  });
  router.openapi(route, async (c) => {
    await store.ping().catch((error: unknown) => {
      throw unavailable('The database', error);
    });
    await engine.ping().catch((error: unknown) => {
      throw unavailable('Temporal', error);
    });
    return c.json({ status: 'ok' as const }, 200);
  });
};

/** Probes, without a token. */
export const healthRoutes = routes(alive, ready);
