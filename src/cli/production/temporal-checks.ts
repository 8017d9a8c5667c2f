import type { Connection, ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import { loadConfig } from '../../config/load-config.ts';
import { toMs } from '../../graph/values/index.ts';
import { readNamespace, useTemporal } from './connections.ts';
import { requireSearchAttributes } from '../../process/search-attributes.ts';
import { settleAll } from '../../process/connect-with-retry.ts';
import type { TemporalConnection } from '../../process/temporal.ts';
import { taskQueuesOf } from '../../workers/worker-options.ts';
import { TASK_QUEUE, SEARCH_ATTRIBUTES } from '../../workflows/contract.ts';
import { formatRetention } from './doctor-check.ts';
import type { DoctorCheck, Installation } from './doctor-check.ts';

type Temporal = TemporalConnection<Connection>;

/** The checks of a Temporal server, and of the namespace that runs are in. */
export function temporalChecks({ environment, configFile }: Installation): readonly DoctorCheck[] {
  const at = (find: (temporal: Temporal) => Promise<string>) => async () => await useTemporal(environment, find);
  return [
    {
      name: 'Temporal',
      remedy: 'set TEMPORAL_ADDRESS, and what else the server wants, to a Temporal 1.29 or later that runs',
      find: at(findServerVersion),
    },
    {
      name: 'namespace',
      remedy: 'set TEMPORAL_NAMESPACE; holdfast setup makes a namespace, in Temporal Cloud its console or tcld',
      find: at(findNamespace),
    },
    {
      name: 'search attributes',
      remedy: 'holdfast setup makes them, as API and workers do when they start, if Temporal lets them',
      find: at(findSearchAttributes),
    },
    {
      name: 'retention',
      remedy:
        'raise retention.runs of the configuration, or shorten it: temporal operator namespace update --retention',
      find: at(async (temporal) => await compareRetention(temporal, configFile)),
    },
    {
      name: 'task queues',
      remedy: 'start a worker: holdfast worker; HOLDFAST_TASK_QUEUES names the queues that it serves',
      find: at(async (temporal) => await findTaskQueues(temporal, configFile)),
    },
  ];
}

/** Older servers ignore the time of a trigger. */
const OLDEST = { major: 1, minor: 29 } as const;

async function findServerVersion({ connection }: Temporal): Promise<string> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const [major = 0, minor = 0] = (serverVersion ?? '').split('.').map(Number);
  if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor))
    throw new Error(`${serverVersion} is too old`);
  return `${serverVersion} at ${connection.options.address}`;
}

async function findNamespace(temporal: Temporal): Promise<string> {
  const found = await readNamespace(temporal);
  if (!found) throw new Error(`Namespace ${temporal.namespace} is not found`);
  return `${temporal.namespace}, which keeps histories for ${formatRetention(found.retentionMs)}`;
}

async function findSearchAttributes(temporal: Temporal): Promise<string> {
  await requireSearchAttributes(temporal, SEARCH_ATTRIBUTES);
  return Object.keys(SEARCH_ATTRIBUTES).join(', ');
}

/** Histories refer to values in the database, which are deleted with their run. */
async function compareRetention(temporal: Temporal, configFile: string | undefined): Promise<string> {
  const { runs } = (await loadConfig(configFile)).retention;
  if (runs === undefined) return 'runs stay';
  const found = await readNamespace(temporal);
  if (!found) throw new Error(`Namespace ${temporal.namespace} is not found`);
  const histories = formatRetention(found.retentionMs);
  if (toMs(runs) < found.retentionMs)
    throw new Error(`Runs are forgotten after ${runs}, and the namespace keeps their histories for ${histories}`);
  return `runs stay for ${runs}, their histories for ${histories}`;
}

async function findTaskQueues(temporal: Temporal, configFile: string | undefined): Promise<string> {
  const queues = taskQueuesOf(await loadConfig(configFile));
  const found = await settleAll(
    queues.map(async (queue) => {
      const kinds = queue === TASK_QUEUE ? (['workflow', 'activity'] as const) : (['activity'] as const);
      const workers = await settleAll(kinds.map((kind) => findPollers(temporal, { queue, kind })));
      return { queue, workers: Math.min(...workers.map(({ length }) => length)) };
    }),
  );
  const without = found.filter(({ workers }) => workers === 0).map(({ queue }) => queue);
  if (without.length > 0) throw new Error(`No worker has asked lately for the tasks of ${without.join(', ')}`);
  return found.map(({ queue, workers }) => `${queue} (workers: ${workers})`).join(', ');
}

/** A task queue and a type of its tasks. */
export interface TaskKind {
  readonly queue: string;
  readonly kind: keyof typeof TASK_QUEUE_TYPES;
}

const { TaskQueueType } = proto.temporal.api.enums.v1;
const TASK_QUEUE_TYPES = {
  workflow: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;

/** @returns the identities of workers that polled for such tasks in the last five minutes */
async function findPollers(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  { queue, kind }: TaskKind,
): Promise<readonly string[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: TASK_QUEUE_TYPES[kind],
  });
  return [...new Set((pollers ?? []).flatMap(({ identity }) => identity ?? []))];
}
