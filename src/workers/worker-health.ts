import type { Worker } from '@temporalio/worker';
import { SHUTTING_DOWN, findUnavailable, startingUpMessage, createProbes } from '../process/readiness.ts';
import type { ReadinessChecks, Readiness } from '../process/readiness.ts';
import { listenOnPort } from '../process/listen.ts';
import type { RequestHandler } from '../process/listen.ts';
import { METRICS_TYPE, readMetrics } from '../telemetry/metrics/meter.ts';
import type { ProblemFailure } from '../process/problem.ts';
import type { TemporalCheck } from '../process/search-attributes.ts';
import type { Store } from '../store/store.ts';

/** The parts of a worker process that has started. */
export interface WorkerProcess {
  readonly workers: readonly Worker[];
  readonly store: Store;
  readonly checkTemporal: TemporalCheck;
}

/** The server of a worker process for health probes and metrics. */
export interface WorkerHealth {
  /** Makes readiness depend on the workers, Temporal and the database. */
  watch(process: WorkerProcess): void;
  stop(): Promise<void>;
}

export interface HealthOptions {
  readonly shuttingDown: AbortSignal;
  /** The dependencies for which the process is waiting. */
  readonly unavailable: ReadonlySet<string>;
}

/** Answers `/healthz`, `/readyz` and `/metrics` on a port. @throws when the port is taken */
export async function openWorkerHealth(
  port: number,
  { shuttingDown, unavailable }: HealthOptions,
): Promise<WorkerHealth> {
  let watched: WorkerProcess | null = null;
  const readiness: Readiness = async () => {
    if (shuttingDown.aborted) return SHUTTING_DOWN;
    return watched ? await findUnavailable(readinessChecksOf(watched)) : startingUpMessage(unavailable);
  };
  const notFound = async (path: string): Promise<ProblemFailure> => ({
    code: 'NOT_FOUND',
    status: 404,
    message: `There is nothing at ${path}: a worker answers /healthz, /readyz and /metrics`,
  });
  const probes = createProbes(readiness, notFound);
  const fetch: RequestHandler['fetch'] = async (request, ...rest) =>
    new URL(request.url).pathname === '/metrics' ? await answerMetrics() : await probes.fetch(request, ...rest);
  const listening = await listenOnPort({ fetch }, { port, hostname: '0.0.0.0' });
  return {
    watch: (process) => void (watched = process),
    stop: () => listening.stop(),
  };
}

async function answerMetrics(): Promise<Response> {
  return new Response(await readMetrics(), { headers: { 'content-type': METRICS_TYPE } });
}

function readinessChecksOf({ workers, store, checkTemporal }: WorkerProcess): ReadinessChecks {
  return {
    'A worker that runs': async () => {
      if (workers.some((worker) => worker.getState() !== 'RUNNING')) throw new Error('A worker has stopped');
    },
    'The database': () => store.ping(),
    Temporal: checkTemporal,
  };
}
