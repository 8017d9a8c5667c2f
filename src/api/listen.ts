import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';

/** An HTTP server that listens. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, and gives those that are there a moment to be answered. */
  stop(): Promise<void>;
}

/** What answers requests. */
type App = Pick<Parameters<typeof serve>[0], 'fetch'>;

export interface Place {
  /** 0 takes any free one. */
  readonly port: number;
  /** This machine only, unless it says otherwise. */
  readonly hostname?: string | undefined;
}

const GRACE_MS = 2_000;

/** @throws when the port is taken */
export async function listen({ fetch }: App, { port, hostname = '127.0.0.1' }: Place): Promise<Listening> {
  const { server, address } = await new Promise<{ server: ReturnType<typeof serve>; address: AddressInfo }>(
    (resolve, reject) => {
      const listening = serve({ fetch, port, hostname }, (info) => resolve({ server: listening, address: info }));
      listening.once('error', reject);
    },
  );
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const timer = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
