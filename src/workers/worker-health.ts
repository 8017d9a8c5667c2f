import type { NativeConnection, Worker } from '@temporalio/worker';
import { ApiError } from '../api/http/errors.ts';
import { LEAVING, findObstacle, startingFor } from '../process/dependencies.ts';
import { listen } from '../process/listen.ts';
import { createProbes } from '../process/probes.ts';
import { lookForTemporal } from '../process/temporal-for-client.ts';
import type { Store } from '../store/store.ts';

/** What a worker process works with, once all of it is there. */
export interface WorkerProcess {
  readonly workers: readonly Worker[];
  readonly store: Store;
  readonly connection: NativeConnection;
  readonly namespace: string;
}

/** What a worker process tells who asks for its health. */
export interface WorkerHealth {
  /** From now on it is ready while its workers run, and Temporal and the database answer. */
  begin(process: WorkerProcess): void;
  stop(): Promise<void>;
}

interface Circumstances {
  readonly leaving: AbortSignal;
  /** What the process waits for before it begins. */
  readonly awaited: ReadonlySet<string>;
}

/** Answers `/healthz` and `/readyz` on a port. @throws when it is taken */
export async function openWorkerHealth(port: number, { leaving, awaited }: Circumstances): Promise<WorkerHealth> {
  let begun: WorkerProcess | null = null;
  const obstacle = async (): Promise<string | null> => {
    if (leaving.aborted) return LEAVING;
    return begun ? await findObstacle(needsOf(begun)) : startingFor(awaited);
  };
  const nothing = async (path: string): Promise<ApiError> =>
    new ApiError('NOT_FOUND', `There is nothing at ${path}: a worker answers /healthz and /readyz`);
  const listening = await listen(createProbes(obstacle, nothing), { port, hostname: '0.0.0.0' });
  return {
    begin: (process) => void (begun = process),
    stop: () => listening.stop(),
  };
}

function needsOf({ workers, store, connection, namespace }: WorkerProcess) {
  return {
    'A worker that runs': async () => {
      if (workers.some((worker) => worker.getState() !== 'RUNNING')) throw new Error('A worker has stopped');
    },
    'The database': () => store.ping(),
    Temporal: () => lookForTemporal({ connection, namespace }),
  };
}
