import { createRoute, z } from '@hono/zod-openapi';
import { METRICS_TYPE, meter, readMetrics } from '../../process/meter.ts';
import type { LiveCounts } from '../../store/inspection/live-counts.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { NoQuery, problems } from '../schemas/common.ts';

const gauges = {
  runs: meter.createGauge('holdfast.runs.active', { description: 'Runs that have not ended, by status' }),
  approvals: meter.createGauge('holdfast.approvals.pending', { description: 'Approvals that wait for a person' }),
  oldestApproval: meter.createGauge('holdfast.approvals.oldest_age', {
    description: 'The time that the oldest of them has been waiting',
    unit: 's',
  }),
  inDoubt: meter.createGauge('holdfast.ledger.in_doubt', {
    description: 'Calls of which nobody knows if they were made',
  }),
} as const;

const STATUSES = ['queued', 'running', 'waiting', 'paused'] as const;

function record({ runs, pendingApprovals, oldestApprovalSeconds, callsInDoubt }: LiveCounts): void {
  for (const status of STATUSES) gauges.runs.record(runs[status] ?? 0, { status });
  gauges.approvals.record(pendingApprovals);
  gauges.oldestApproval.record(oldestApprovalSeconds);
  gauges.inDoubt.record(callsInDoubt);
}

/** Anybody may ask for metrics, so the database is asked no oftener. */
const COUNT_EVERY_MS = 5_000;

const metrics: AddRoute = (router, { store, logger }) => {
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
  let counted = Number.NEGATIVE_INFINITY;
  router.openapi(route, async (c) => {
    if (performance.now() - counted >= COUNT_EVERY_MS) {
      counted = performance.now();
      // Without the database, the metrics of the process are worth reading all the more.
      await store.countLive().then(record, (error: unknown) => logger.warn({ error }, 'metrics lack what is counted'));
    }
    return c.text(await readMetrics(), 200, { 'content-type': METRICS_TYPE });
  });
};

/** The route of metrics, which needs no token. */
export const metricsRoutes = routes(metrics);
