import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { listAt } from '../readers/json-at.ts';
import { portOf } from './loopback-server.ts';

/** A server of embeddings with OpenAI's protocol. Texts about the same subject have the same direction. */
export interface EmbeddingServer {
  /** The address in the form of `http.allow`. */
  readonly address: string;
  readonly url: string;
  /** The texts of each request, including failed ones. */
  readonly asked: readonly (readonly string[])[];
  /** Makes it respond with a status to requests with a matching text; `null` restores it. */
  fail(status: number | null, when?: RegExp): void;
  stop(): Promise<void>;
}

/** The subjects of texts, one dimension each. Texts about none of them have the last dimension. */
const THINGS = [/dog|puppy/i, /soup|broth/i, /car|automobile/i];
const DIMENSIONS = THINGS.length + 1;

/** The vector of a text, with one dimension per subject. */
function vectorOf(text: string): readonly number[] {
  const about = THINGS.map((thing) => (thing.test(text) ? 1 : 0));
  return [...about, about.includes(1) ? 0 : 1];
}

export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const asked: (readonly string[])[] = [];
  let failure: { readonly status: number; readonly when: RegExp } | null = null;
  const answer = (texts: readonly string[], response: ServerResponse): void => {
    asked.push(texts);
    const { status, when } = failure ?? { status: 200, when: /^/ };
    const isRefused = failure !== null && texts.some((text) => when.test(text));
    const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    const body = isRefused
      ? { error: { message: 'Not these', type: 'some_error' } }
      : { object: 'list', model: 'm', data, usage: { prompt_tokens: texts.length, total_tokens: texts.length } };
    response.writeHead(isRefused ? status : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The client may disconnect while it sends the body.
    const body = await readText(request).catch(() => null);
    if (body === null) return void response.destroy();
    answer(listAt(toJson(JSON.parse(body)), '/input').map(String), response);
  };
  const server = createServer((request, response) => void serve(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(server.address());
  return {
    address: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    fail(status, when = /^/) {
      failure = status === null ? null : { status, when };
    },
    async stop() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The settings of an installation that uses this server for embeddings. */
export function embeddingSettings({ url, address }: EmbeddingServer, over: { readonly model?: string } = {}) {
  const embeddings = {
    provider: 'openai-compatible',
    model: 'm',
    baseUrl: url,
    dimensions: DIMENSIONS,
    minSimilarity: 0.5,
    ...over,
  } as const;
  return { memory: { embeddings }, http: { allow: [address] } };
}
