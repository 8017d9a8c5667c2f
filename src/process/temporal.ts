import type { ConnectionLike } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { messageOf } from '../graph/values/index.ts';
import type { Dependency } from './connect-with-retry.ts';
import { isGrpcError, isGrpcRefusal } from './grpc-errors.ts';
import { setVariables } from './process-options.ts';
import { SetupError } from './setup-error.ts';

/** A connection to Temporal, and the namespace that the process works in. */
export interface TemporalConnection<C extends ConnectionLike> {
  readonly connection: C;
  readonly namespace: string;
}

/** The connection options of a Temporal server: its address, TLS, API key and headers. */
export type TemporalOptions = ClientConnectConfig['connectionOptions'];

/** The address that Temporal's SDK uses by default. */
const DEFAULT_ADDRESS = '127.0.0.1:7233';

/** The address of the server, or the default address. */
export function temporalAddressOf({ address = DEFAULT_ADDRESS }: TemporalOptions): string {
  return address;
}

/** A server and the namespace that a process works in. */
export interface TemporalTarget {
  readonly options: TemporalOptions;
  readonly namespace: string;
}

/**
 * Reads the Temporal settings from `TEMPORAL_*` and from the profiles of Temporal's own tools.
 * @throws SetupError when files can't be read, or settings contradict each other
 */
export function readTemporalTarget(environment: NodeJS.ProcessEnv): TemporalTarget {
  try {
    const { connectionOptions, namespace = 'default' } = loadClientConnectConfig({
      overrideEnvVars: setVariables(environment),
    });
    return { options: connectionOptions, namespace };
  } catch (error) {
    throw new SetupError(`Temporal's settings can't be used:\n  ${messageOf(error)}`, { cause: error });
  }
}

/** Returns Temporal as a dependency. @param connect opens the connection of a client or a worker */
export function temporalDependency<C extends ConnectionLike>(
  { options, namespace }: TemporalTarget,
  connect: (options: TemporalOptions) => C | Promise<C>,
): Dependency<TemporalConnection<C>> {
  const open = async () => {
    const connection = await connect(options);
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

const CONNECT_WITHIN_MS = 5_000;

/** @throws when the server is unavailable, or does not have the namespace */
export async function pingTemporal({ connection, namespace }: TemporalConnection<ConnectionLike>): Promise<void> {
  await connection.withDeadline(Date.now() + CONNECT_WITHIN_MS, () =>
    connection.workflowService.describeNamespace({ namespace }),
  );
}

/** True for errors that may pass, such as a missing namespace. */
export function isTemporalAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransportError') return true;
  return isGrpcError(error) && !isGrpcRefusal(error);
}
