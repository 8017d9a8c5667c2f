import { createRoute, z } from '@hono/zod-openapi';
import { createLiveMeasure } from '../../telemetry/metrics/live-measure.ts';
import { METRICS_TYPE, readMetrics } from '../../telemetry/metrics/meter.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { NoQuery, problems } from '../schemas/common.ts';

const metrics: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'readMetrics',
    tags: ['operations'],
    security: [],
    summary: "What this process has done, and what is there at the moment, in Prometheus' text format",
    request: { query: NoQuery },
    responses: {
      200: { description: 'The metrics', content: { 'text/plain': { schema: z.string() } } },
      ...problems(),
    },
  });
  const measureLive = createLiveMeasure(deps);
  router.openapi(route, async (c) => {
    await measureLive();
    return c.text(await readMetrics(), 200, { 'content-type': METRICS_TYPE });
  });
};

/** The route of metrics, which needs no token. */
export const metricsRoutes = routes(metrics);
