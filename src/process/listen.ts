import { serve } from '@hono/node-server';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../graph/values/index.ts';
import { SetupError } from './setup-error.ts';

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

/** A port, and the environment variable that sets it. */
interface NamedPort {
  readonly variable: string;
  readonly port: number;
}

/** Errors of Node and of Temporal's SDK about a port that can't be used, and the message for each. */
const PORT_ERROR_REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/EADDRINUSE|address already in use/i, 'is in use; set another one'],
  [/EACCES|permission denied/i, 'is not allowed to this process; set one from 1024 on'],
];

/**
 * Opens a listener on a port.
 * @throws SetupError that names the port and its variable if the port is unavailable; other errors of `open`
 */
export async function atPort<T>({ variable, port }: NamedPort, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const reason = PORT_ERROR_REASONS.find(([pattern]) => pattern.test(messageOf(error)))?.[1];
    if (reason === undefined) throw error;
    throw new SetupError(`Port ${port} (${variable}) ${reason}`, { cause: error });
  }
}
