import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool's other side that answers at once. */
export interface PingServer {
  readonly url: string;
  readonly host: string;
  stop(): Promise<void>;
}

export async function startPingServer(): Promise<PingServer> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{"ok":true}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/ping`,
    host: `127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
