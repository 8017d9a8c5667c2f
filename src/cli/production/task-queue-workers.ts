import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TemporalConnection } from '../../process/temporal.ts';

/** A task queue, and which of its tasks. */
export interface TaskKind {
  readonly queue: string;
  readonly kind: keyof typeof KINDS;
}

const { TaskQueueType } = proto.temporal.api.enums.v1;
const KINDS = {
  workflow: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  activity: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;

/** @returns the identities of the workers that have asked for such tasks in the last five minutes */
export async function findWorkers(
  { connection, namespace }: TemporalConnection<ConnectionLike>,
  { queue, kind }: TaskKind,
): Promise<readonly string[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: KINDS[kind],
  });
  return [...new Set((pollers ?? []).flatMap(({ identity }) => identity ?? []))];
}
