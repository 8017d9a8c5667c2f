import { Connection } from '@temporalio/client';
import { messageOf } from '../../graph/values/index.ts';
import { addressOf, readTemporalTarget } from '../../process/temporal.ts';
import type { TemporalConnection } from '../../process/temporal.ts';

const WITHIN_MS = 5_000;

/** No server answers at the address. */
export class NoAnswerError extends Error {}

/**
 * Opens a connection to the Temporal that the environment names, for one use of it.
 * @throws SetupError when the environment contradicts itself; NoAnswerError; what the server refuses with
 */
export async function withTemporal<T>(
  environment: NodeJS.ProcessEnv,
  use: (temporal: TemporalConnection<Connection>) => Promise<T>,
): Promise<T> {
  const { options, namespace } = readTemporalTarget(environment);
  const connection = Connection.lazy({ connectTimeout: WITHIN_MS, ...options });
  try {
    await connection.ensureConnected().catch((error: unknown) => {
      if (error instanceof Error && 'code' in error) throw error;
      throw new NoAnswerError(`${addressOf(options)} does not answer: ${messageOf(error)}`, { cause: error });
    });
    return await connection.withDeadline(Date.now() + WITHIN_MS, async () => await use({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
