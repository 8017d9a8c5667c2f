import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';

/** An HTTP server that listens. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /**
   * Lets the requests that are there be answered, and takes more as long as there are any; then there is nobody any more.
   * What is not answered within the grace never is.
   */
  stop(): Promise<void>;
}

/** What answers requests. */
export type App = Pick<Parameters<typeof serve>[0], 'fetch'>;

export interface ListenOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** This machine only, unless it says otherwise. */
  readonly hostname?: string | undefined;
  /** So long requests may take that are there when it stops. */
  readonly graceMs?: number;
}

const GRACE_MS = 2_000;
/**
 * Longer than the minute after which clients and proxies let go of a connection that nothing comes through: one that is
 * closed here at the moment when a request is sent loses the request.
 */
const KEEP_ALIVE_MS = 75_000;

/** @throws when the port is taken */
export async function listen(app: App, options: ListenOptions): Promise<Listening> {
  const { port, hostname = '127.0.0.1', graceMs = GRACE_MS } = options;
  const traffic = counted(app);
  const { server, address } = await new Promise<{ server: ReturnType<typeof serve>; address: AddressInfo }>(
    (resolve, reject) => {
      const listening = serve(
        { fetch: traffic.fetch, port, hostname, serverOptions: { keepAliveTimeout: KEEP_ALIVE_MS } },
        (info) => resolve({ server: listening, address: info }),
      );
      listening.once('error', reject);
    },
  );
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async stop() {
      const grace = new AbortController();
      const timer = setTimeout(() => {
        grace.abort();
        if ('closeAllConnections' in server) server.closeAllConnections();
      }, graceMs);
      await traffic.idle(grace.signal);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(timer);
    },
  };
}

/** Knows when an app has nothing to answer. */
function counted({ fetch }: App): App & { idle(patience: AbortSignal): Promise<void> } {
  const events = new EventEmitter();
  let open = 0;
  return {
    async fetch(...request) {
      open += 1;
      try {
        return await fetch(...request);
      } finally {
        open -= 1;
        if (open === 0) events.emit('idle');
      }
    },
    async idle(patience) {
      if (open > 0) await once(events, 'idle', { signal: patience }).catch(() => undefined);
    },
  };
}
