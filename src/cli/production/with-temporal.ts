import { Connection } from '@temporalio/client';
import { readTemporalTarget } from '../../process/temporal.ts';
import type { TemporalConnection } from '../../process/temporal.ts';

const WITHIN_MS = 5_000;

/**
 * Opens a connection to the Temporal that the environment names, for one use of it.
 * @throws SetupError when the environment contradicts itself; an error when the server does not answer in time
 */
export async function withTemporal<T>(
  environment: NodeJS.ProcessEnv,
  use: (temporal: TemporalConnection<Connection>) => Promise<T>,
): Promise<T> {
  const { options, namespace } = readTemporalTarget(environment);
  const connection = Connection.lazy({ connectTimeout: WITHIN_MS, ...options });
  try {
    return await connection.withDeadline(Date.now() + WITHIN_MS, async () => await use({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
