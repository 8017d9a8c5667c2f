import { getHeapStatistics } from 'node:v8';
import type { WorkerDeploymentOptions } from '@temporalio/worker';
import type { Config } from '../config/load-config.ts';
import { didYouMean } from '../graph/values/index.ts';
import { SetupError } from '../process/setup-error.ts';
import { TASK_QUEUE } from '../workflows/contract.ts';

/** Returns all task queues: the engine's own, and those that tools name. */
export function taskQueuesOf({ tools, mcpServers }: Pick<Config, 'tools' | 'mcpServers'>): readonly string[] {
  const ofServers = Object.values(mcpServers).flatMap((server) => Object.values(server.tools ?? {}));
  const named = [...tools, ...ofServers].flatMap(({ taskQueue }) => taskQueue ?? []);
  return [...new Set([TASK_QUEUE, ...named])];
}

/**
 * Reads the task queues that a worker serves.
 * @param list names with commas between them, from HOLDFAST_TASK_QUEUES; the default is the engine's own queue
 * @throws SetupError when no tool names one of them
 */
export function readTaskQueues(list: string | undefined, known: readonly string[]): readonly string[] {
  const names = (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new SetupError(
      `HOLDFAST_TASK_QUEUES names "${unknown}", which no tool does; there are: ${known.join(', ')}.${didYouMean(unknown, known)}`,
    );
  return names.length > 0 ? [...new Set(names)] : [TASK_QUEUE];
}

const MIB = 1_048_576;

/** The part of the heap that is reserved for everything but cached runs. */
const RESERVED_BYTES = 200 * MIB;
/** The size of a large cached run; most are a third of it. */
const BYTES_PER_RUN = MIB;
const MIN_CACHED_WORKFLOWS = 10;

/**
 * Returns the number of runs that a worker caches, so that it need not replay them. `HOLDFAST_CACHED_RUNS` sets it; the
 * default depends on the heap.
 * @param heapLimit the limit of the heap in bytes; `node --max-old-space-size` sets it
 * @throws Error when the variable is not a whole number from 10 on
 */
export function cachedRuns(
  { HOLDFAST_CACHED_RUNS: given }: NodeJS.ProcessEnv,
  heapLimit: number = getHeapStatistics().heap_size_limit,
): number {
  if (given === undefined || given === '')
    return Math.max(MIN_CACHED_WORKFLOWS, Math.floor((heapLimit - RESERVED_BYTES) / BYTES_PER_RUN));
  const count = Number(given);
  if (Number.isInteger(count) && count >= MIN_CACHED_WORKFLOWS) return count;
  throw new Error(`HOLDFAST_CACHED_RUNS must be a whole number, ${MIN_CACHED_WORKFLOWS} or more; it is "${given}"`);
}

/**
 * Reads the version of a worker process from the variables that Temporal's controller sets. An execution of a run stays on
 * the version on which it begins.
 * @returns `null` for workers without versions
 * @throws when one of the two variables is missing
 */
export function readWorkerDeployment({
  TEMPORAL_DEPLOYMENT_NAME: deploymentName = '',
  TEMPORAL_WORKER_BUILD_ID: buildId = '',
}: NodeJS.ProcessEnv): WorkerDeploymentOptions | null {
  if (deploymentName === '' && buildId === '') return null;
  if (deploymentName === '' || buildId === '')
    throw new Error('TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID go together; one of them is not set');
  return { useWorkerVersioning: true, version: { deploymentName, buildId }, defaultVersioningBehavior: 'PINNED' };
}
