import { createServer } from 'node:http';
import { once } from 'node:events';
import type { Teardown } from '../../src/dev/teardown.ts';

/** The third party that a tool calls, and a model's provider: it answers as it is told to. */
export interface Stranger {
  readonly url: string;
  /** As in `http.allow`. */
  readonly host: string;
  /** Sets the answer to all requests from now on. */
  answers(reply: string, contentType: string): void;
}

export async function startStranger(teardown: Teardown): Promise<Stranger> {
  let next = { reply: '{}', contentType: 'application/json' };
  const server = createServer((request, response) => {
    request.resume();
    const { reply, contentType } = next;
    response.writeHead(200, contentType === '' ? {} : { 'content-type': contentType }).end(reply);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  teardown.add(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('The server listens at no port');
  const host = `127.0.0.1:${address.port}`;
  return { url: `http://${host}`, host, answers: (reply, contentType) => void (next = { reply, contentType }) };
}
