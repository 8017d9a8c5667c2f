import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import type { Dependency } from './connect-with-retry.ts';
import { pingTemporal, isTemporalAway } from './temporal-for-client.ts';
import type { TemporalConnection } from './temporal-for-client.ts';

/** Temporal for who works for it. Where it is, its own variables and profiles say. */
export function temporalForWorker(): Dependency<TemporalConnection<NativeConnection>> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const open = async () => {
    const connection = await NativeConnection.connect(connectionOptions);
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
