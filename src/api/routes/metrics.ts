import { z } from '@hono/zod-openapi';
import { createLiveMeasure } from '../../telemetry/metrics/live-measure.ts';
import { METRICS_TYPE, readMetrics } from '../../telemetry/metrics/meter.ts';
import { listen } from '../../process/listen.ts';
import type { Listening } from '../../process/listen.ts';
import type { ApiDeps } from '../deps.ts';
import { tagged } from '../middleware/route.ts';

/** Returns what reads the metrics of this process, and the counts of all tenants, in Prometheus' text format. */
function createMetricsReader(deps: Pick<ApiDeps, 'store' | 'logger'>): () => Promise<string> {
  const measureLive = createLiveMeasure(deps);
  return async () => {
    await measureLive();
    return await readMetrics();
  };
}

interface MetricsAddress {
  readonly port: number;
  readonly hostname: string;
}

/** Answers `GET /metrics` without a token, on a port that only the monitoring reaches. @throws when the port is taken */
export async function openMetricsPort(
  address: MetricsAddress,
  deps: Pick<ApiDeps, 'store' | 'logger'>,
): Promise<Listening> {
  const read = createMetricsReader(deps);
  const fetch = async ({ url, method }: Request): Promise<Response> => {
    if (new URL(url).pathname !== '/metrics') return new Response(null, { status: 404 });
    if (method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } });
    return new Response(await read(), { headers: { 'content-type': METRICS_TYPE } });
  };
  return await listen({ fetch }, address);
}

const operationsTag = tagged('operations');

/** `GET /metrics` of the API. */
export const readMetricsRoute = operationsTag.get('/metrics', 'monitoring', {
  id: 'readMetrics',
  summary: "What this process has done, and what is there at the moment, in Prometheus' text format",
  description:
    'Needs the permission `admin`, because labels name graphs of all tenants. A stack on one machine (`holdfast start`) asks for no token.',
  answers: { 200: { description: 'The metrics', content: { 'text/plain': { schema: z.string() } } } },
  handle: (deps) => {
    const readAll = createMetricsReader(deps);
    return async (c) => {
      return c.text(await readAll(), 200, { 'content-type': METRICS_TYPE });
    };
  },
});
