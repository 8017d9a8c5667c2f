import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { lookForTemporal } from './look-for-temporal.ts';
import type { TemporalPlace } from './look-for-temporal.ts';
import { isTemporalAway } from './temporal-away.ts';
import type { Need } from './until-there.ts';

/** After an outage a connection is tried again this soon; the pauses of gRPC itself grow to two minutes. */
const CHANNEL = { 'grpc.max_reconnect_backoff_ms': 3_000 };

/** Temporal for who starts and asks workflows. Where it is, its own variables and profiles say. */
export function temporalForClient(): Need<TemporalPlace<Connection>> {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = Connection.lazy({ ...connectionOptions, channelArgs: CHANNEL });
  const open = async () => {
    await lookForTemporal({ connection, namespace });
    return { connection, namespace };
  };
  return { what: 'Temporal', open, isAway: isTemporalAway };
}
