import type { ConnectionLike } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import type { Dependency } from './connect-with-retry.ts';

/** A connection to Temporal, and the namespace that the process works in. */
export interface TemporalConnection<C extends ConnectionLike> {
  readonly connection: C;
  readonly namespace: string;
}

/**
 * Makes Temporal a dependency; its own environment variables and profiles give the address.
 * @param connect opens the connection of a client or a worker
 */
export function temporal<C extends ConnectionLike>(
  connect: (options: ClientConnectConfig['connectionOptions']) => C | Promise<C>,
): Dependency<TemporalConnection<C>> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const open = async () => {
    const connection = await connect(connectionOptions);
    try {
      await pingTemporal({ connection, namespace });
    } catch (error) {
      await connection.close();
      throw error;
    }
    return { connection, namespace };
  };
  return { name: 'Temporal', open, isAway: isTemporalAway };
}

const ANSWER_WITHIN_MS = 5_000;

/** @throws when the server does not answer, or does not have the namespace */
export async function pingTemporal({ connection, namespace }: TemporalConnection<ConnectionLike>): Promise<void> {
  await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );
}

/** gRPC codes of refusals, after which asking again is in vain. */
const REFUSED: ReadonlySet<number> = new Set([3, 7, 12, 16]);

/** Tells errors that may pass, such as a missing namespace, from errors that stay. */
function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransportError') return true;
  return 'code' in error && typeof error.code === 'number' && !REFUSED.has(error.code);
}
