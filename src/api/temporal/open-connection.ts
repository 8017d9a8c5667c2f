import { Connection } from '@temporalio/client';
import type { ConnectionOptions } from '@temporalio/client';

/** A lost connection is tried again after at most this time; gRPC's own pauses grow to two minutes. */
const MAX_RECONNECT_MS = 3_000;

/** Makes a client connection that connects when it is first used. */
export function openConnection(options: ConnectionOptions): Connection {
  return Connection.lazy({ ...options, channelArgs: { 'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_MS } });
}
