import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { lookForTemporal } from './look-for-temporal.ts';
import type { TemporalPlace } from './look-for-temporal.ts';
import { isTemporalAway } from './temporal-away.ts';
import type { Need } from './until-there.ts';

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
