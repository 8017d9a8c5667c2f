import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as received. */
export interface ReceivedMessage {
  readonly receiver: ReceiverName;
  readonly id: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Receivers of webhooks at one address, each with its own path and behavior. */
export interface UnreliableReceivers {
  /** The address in the form of `webhooks.allow`. */
  readonly address: string;
  readonly heard: readonly ReceivedMessage[];
  /** The number of requests to the target of the redirect. */
  readonly followed: number;
  urlOf(receiver: ReceiverName): string;
  stop(): Promise<void>;
}

/** Responds to the `nth` receipt of a message, from 1; without a response the receiver stays silent. */
type Mood = (response: ServerResponse, nth: number) => unknown;

const fine = (response: ServerResponse): unknown => response.writeHead(204).end();
/** Misbehaves the first times that a message arrives. */
const atFirst =
  (bad: (response: ServerResponse) => unknown, times = 2): Mood =>
  (response, nth) =>
    nth <= times ? bad(response) : fine(response);

const MOODS = {
  fine,
  failing: atFirst((response) => response.writeHead(500).end('no')),
  hanging: atFirst(() => undefined, 1),
  breaking: atFirst((response) => response.destroy()),
  redirecting: atFirst((response) => response.writeHead(307, { location: '/followed' }).end()),
  busy: atFirst((response) => response.writeHead(429, { 'retry-after': '1' }).end()),
  dead: (response) => response.writeHead(500).end(),
  gone: (response) => response.writeHead(410).end(),
} as const satisfies Readonly<Record<string, Mood>>;

export type ReceiverName = keyof typeof MOODS;

/** The receivers that accept every message in the end. */
export const ACCEPTING_RECEIVERS = ['fine', 'failing', 'hanging', 'breaking', 'redirecting', 'busy'] as const;

export async function startUnreliableReceivers(): Promise<UnreliableReceivers> {
  const heard: ReceivedMessage[] = [];
  let followed = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = (request.url ?? '').slice(1);
    if (!isReceiver(name)) {
      followed += 1;
      return void fine(response);
    }
    const at = Date.now();
    const id = String(request.headers['webhook-id']);
    heard.push({ receiver: name, id, body: await text(request), at });
    const nth = heard.filter((message) => message.receiver === name && message.id === id).length;
    MOODS[name](response, nth);
  };
  // A sender that crashes disconnects while it sends.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = toAddress(server.address());
  return {
    address: `127.0.0.1:${port}`,
    heard,
    get followed() {
      return followed;
    },
    urlOf: (receiver) => `http://127.0.0.1:${port}/${receiver}`,
    async stop() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function isReceiver(name: string): name is ReceiverName {
  return Object.hasOwn(MOODS, name);
}

function toAddress(address: AddressInfo | string | null): AddressInfo {
  if (typeof address === 'object' && address) return address;
  throw new TypeError('The receivers listen at a port');
}
