import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import type { Need } from './connect-with-retry.ts';
import { lookForTemporal, isTemporalAway } from './temporal-for-client.ts';
import type { TemporalPlace } from './temporal-for-client.ts';

/** Temporal for who works for it. Where it is, its own variables and profiles say. */
export function temporalForWorker(): Need<TemporalPlace<NativeConnection>> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const open = async () => {
    const connection = await NativeConnection.connect(connectionOptions);
    try {
      await lookForTemporal({ connection, namespace });
    } catch (error) {
      await connection.close();
      throw error;
    }
    return { connection, namespace };
  };
  return { what: 'Temporal', open, isAway: isTemporalAway };
}
