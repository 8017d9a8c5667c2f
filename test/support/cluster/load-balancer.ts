import { createServer, request as ask } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** A proxy with one address for several servers, which are used in turn; unavailable ones are skipped. */
export interface LoadBalancer {
  readonly url: string;
  /** The number of requests that each server has answered, in the order of the servers. */
  readonly answered: readonly number[];
  stop(): Promise<void>;
}

/** @param servers the addresses of the servers */
export async function startLoadBalancer(servers: readonly string[]): Promise<LoadBalancer> {
  const answered = servers.map(() => 0);
  let turn = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const first = turn++;
    for (const [offset] of servers.entries()) {
      const at = (first + offset) % servers.length;
      const answer = await passOn({ request, body, response }, servers[at] ?? '');
      if (answer === 'away') continue;
      if (answer === 'lost') break;
      answered[at] = (answered[at] ?? 0) + 1;
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      // The headers of a stream are sent before its first event.
      response.flushHeaders();
      return await pipeline(answer, response);
    }
    response.writeHead(503, { 'retry-after': '1', 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ title: 'No server answers', status: 503 }));
  };
  const proxy = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${portOf(proxy.address())}`,
    answered,
    async stop() {
      const closed = once(proxy, 'close');
      proxy.close();
      proxy.closeAllConnections();
      await closed;
    },
  };
}

interface Passed {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

/**
 * Forwards a request to a server over a new connection.
 * @returns `away`: the server did not receive the request, so that another may be tried; `lost`: it may have
 */
async function passOn({ request, body, response }: Passed, server: string): Promise<IncomingMessage | 'away' | 'lost'> {
  const { method, rawHeaders: headers } = request;
  const passed = ask(new URL(request.url ?? '/', server), { method, headers, agent: false });
  response.once('close', () => passed.destroy());
  passed.end(body);
  return await new Promise((resolve) => {
    passed.once('response', resolve);
    passed.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'away' : 'lost'));
  });
}

function portOf(address: string | AddressInfo | null): number {
  if (typeof address === 'object' && address) return address.port;
  throw new TypeError('The server is not open');
}
