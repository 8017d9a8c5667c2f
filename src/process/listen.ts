import { EventEmitter, once, setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';

export interface OpenPort {
  readonly url: string;
  readonly port: number;
  /**
   * Stops once no request is open; requests that arrive meanwhile are answered, too. Requests that are open after the
   * grace period get no response.
   */
  stop(): Promise<void>;
}

/** Handles requests. */
export type RequestHandler = Pick<Parameters<typeof serve>[0], 'fetch'>;

export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The default is this machine only. */
  readonly hostname?: string | undefined;
  /** The time that open requests have when the server stops. */
  readonly graceMs?: number;
}

const CLOSE_GRACE_MS = 2_000;
/**
 * Clients and proxies drop idle connections after a minute. The server must wait longer, because a request
 * that is sent while the server closes its connection is lost.
 */
const KEEP_ALIVE_MS = 75_000;

/** @throws when the port is taken */
export async function listenOnPort(app: RequestHandler, options: ListenOptions): Promise<OpenPort> {
  const { port, hostname = '127.0.0.1', graceMs = CLOSE_GRACE_MS } = options;
  const traffic = countRequests(app);
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

/** Wraps an app and counts its open requests. */
function countRequests({ fetch }: RequestHandler): RequestHandler & { idle(patience: AbortSignal): Promise<void> } {
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

/** Creates an AbortController whose signal may have many listeners; by default Node warns about a leak. */
export function openAbort(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
