import type { Config } from '../config/load-config.ts';
import { didYouMean } from '../graph/values/index.ts';
import { SetupError } from '../process/setup-error.ts';
import { TASK_QUEUE } from '../workflows/contract.ts';

/** All task queues: the engine's own, and those that tools name. */
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
  const wanted = (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new SetupError(
      `HOLDFAST_TASK_QUEUES names "${unknown}", which no tool does; there are: ${known.join(', ')}.${didYouMean(unknown, known)}`,
    );
  return wanted.length > 0 ? [...new Set(wanted)] : [TASK_QUEUE];
}
