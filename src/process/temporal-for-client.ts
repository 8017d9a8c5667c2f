import { Connection } from '@temporalio/client';
import type { ConnectionLike } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Dependency } from './connect-with-retry.ts';

/** After an outage a connection is tried again this soon; the pauses of gRPC itself grow to two minutes. */
const CHANNEL = { 'grpc.max_reconnect_backoff_ms': 3_000 };

/** Temporal for who starts and asks workflows. Where it is, its own variables and profiles say. */
export function temporalForClient(): Dependency<TemporalConnection<Connection>> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = Connection.lazy({ ...connectionOptions, channelArgs: CHANNEL });
  const open = async () => {
    await pingTemporal({ connection, namespace });
    return { connection, namespace };
  };
  return { name: 'Temporal', open, isAway: isTemporalAway };
}

/** A way to Temporal. */
export interface TemporalConnection<C extends ConnectionLike> {
  readonly connection: C;
  readonly namespace: string;
}

const LOOK_WITHIN_MS = 5_000;

/** @throws when the server does not answer, or does not have the namespace */
export async function pingTemporal({ connection, namespace }: TemporalConnection<ConnectionLike>): Promise<void> {
  await connection.withDeadline(Date.now() + LOOK_WITHIN_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );
}

/** The codes of gRPC with which a server says that asking again is in vain. */
const REFUSED: ReadonlySet<number> = new Set([3, 7, 12, 16]);

/** Whether an error of Temporal's SDK only says that the server, or the namespace, is not there yet. */
export function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransportError') return true;
  return 'code' in error && typeof error.code === 'number' && !REFUSED.has(error.code);
}
