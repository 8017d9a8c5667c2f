import type { ConnectionLike } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import type { Dependency } from './connect-with-retry.ts';

/** A connection to Temporal, and the namespace that the process works in. */
export interface TemporalConnection<C extends ConnectionLike> {
  readonly connection: C;
  readonly namespace: string;
}

/** Temporal, at the address that its own variables and profiles give. @param connect opens a client's or a worker's connection */
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

/** The codes of gRPC with which a server says that asking again is in vain. */
const REFUSED: ReadonlySet<number> = new Set([3, 7, 12, 16]);

/** Tells errors of a server, or a namespace, that may be there later from errors that stay. */
function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransportError') return true;
  return 'code' in error && typeof error.code === 'number' && !REFUSED.has(error.code);
}
