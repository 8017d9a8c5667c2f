import { createLiveMeasure } from '../telemetry/metrics/live-measure.ts';
import { METRICS_TYPE, readMetrics } from '../telemetry/metrics/meter.ts';
import { listen } from '../process/listen.ts';
import type { Listening } from '../process/listen.ts';
import type { ApiDeps } from './deps.ts';

/** Returns what reads the metrics of this process, and the counts of all tenants, in Prometheus' text format. */
export function createMetricsReader(deps: Pick<ApiDeps, 'store' | 'logger'>): () => Promise<string> {
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
