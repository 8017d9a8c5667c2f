import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../../../src/graph/values/json.ts';

/** A local HTTP server that answers by a script and records its requests. */
export interface LoopbackServer {
  readonly port: number;
  /** The address in the form of `http.allow`. */
  readonly address: string;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections opened so far, including those without a request. */
  readonly connections: number;
  /** Sets the answers to the next requests, in order. Further requests get 501. */
  answers(...script: Answer[]): void;
  /** Forgets the script and the requests. */
  forget(): void;
  stop(): Promise<void>;
}

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request, or breaks it. */
export type Answer = (response: ServerResponse) => void;

/** Starts a server that listens at every local address, so that every spelling of loopback reaches it. */
export async function startLoopbackServer(): Promise<LoopbackServer> {
  let script: Answer[] = [];
  let requests: ReceivedRequest[] = [];
  let connections = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The client may disconnect while it sends the body.
    const received = await readRequest(request).catch(() => null);
    if (received === null) return void response.destroy();
    requests.push(received);
    const next = script.shift() ?? unexpected;
    next(response);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.on('connection', () => connections++);
  await once(server.listen(0), 'listening');
  const port = portOf(server.address());
  return {
    port,
    address: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    get connections() {
      return connections;
    },
    answers: (...next) => void script.push(...next),
    forget() {
      [script, requests, connections] = [[], [], 0];
    },
    async stop() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns a local port without a listener. */
export async function closedPort(): Promise<number> {
  const server = await startLoopbackServer();
  await server.stop();
  return server.port;
}

export function answer(status: number, headers: Record<string, string> = {}, body: string | Uint8Array = ''): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

export function json(body: Json, status = 200, headers: Record<string, string> = {}): Answer {
  return answer(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
}

/** Disconnects before a response. */
export const hangUp: Answer = (response) => response.destroy();

/** Disconnects in the middle of a valid response. */
export const breakOff: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"text":', () => response.destroy());
};

/** Never responds. Its promises resolve at the request, and when the client has closed the connection. */
export function silence(): {
  readonly answer: Answer;
  readonly asked: Promise<unknown>;
  readonly left: Promise<unknown>;
} {
  const events = new EventEmitter();
  return {
    asked: once(events, 'asked'),
    left: once(events, 'left'),
    answer(response) {
      response.once('close', () => events.emit('left'));
      events.emit('asked');
    },
  };
}

/** Sends without end. Its promise resolves when the client has closed the connection. */
export function endlessText(): { readonly answer: Answer; readonly left: Promise<unknown> } {
  const { answer: wait, left } = silence();
  return {
    left,
    answer(response) {
      const more = (): void => void (response.destroyed || response.write('x'.repeat(10_000), more));
      wait(response);
      more();
    },
  };
}

const unexpected = answer(501, {}, 'The test has no answer for this request');

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const { method = '', url = '', headers } = request;
  return { method, target: url, headers, body: await text(request) };
}

/** The port at which a server listens. */
export function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address) return address.port;
  throw new TypeError('The server does not listen at a port');
}
