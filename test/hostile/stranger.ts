import { createServer } from 'node:http';
import { once } from 'node:events';
import type { Teardown } from '../../src/dev/teardown.ts';

/** A third party whose responses are attacks: the service behind a tool, and the provider of a model. */
export interface Stranger {
  readonly url: string;
  /** The address in the form of `http.allow`. */
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
