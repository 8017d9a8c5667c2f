import type { ConnectionLike } from '@temporalio/client';
import type { TemporalConnection } from './temporal.ts';

/** A task queue, and which of its tasks. */
export interface TaskKind {
  readonly queue: string;
  readonly kind: keyof typeof KINDS;
}

/** `TaskQueueType` of Temporal's API. */
const KINDS = { workflow: 1, activity: 2 } as const;

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
