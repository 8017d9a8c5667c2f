import type { ConnectionLike } from '@temporalio/client';

/** A way to Temporal. */
export interface TemporalPlace<C extends ConnectionLike> {
  readonly connection: C;
  readonly namespace: string;
}

const LOOK_WITHIN_MS = 5_000;

/** @throws when the server does not answer, or does not have the namespace */
export async function lookForTemporal({ connection, namespace }: TemporalPlace<ConnectionLike>): Promise<void> {
  await connection.withDeadline(Date.now() + LOOK_WITHIN_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );
}
