import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';

/** A request to the canned API. */
export interface CannedRequest {
  /** For example `GET /api/runs?limit=1`. */
  readonly line: string;
  readonly token: string;
}

/** An API that answers with given JSON. */
export interface CannedApi {
  readonly url: string;
  readonly requests: readonly CannedRequest[];
  stop(): Promise<void>;
}

/** Starts an API. @param answer returns the body of an answer; `undefined` for 404 */
export async function startCannedApi(answer: (request: CannedRequest) => unknown): Promise<CannedApi> {
  const requests: CannedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const request = toRequest(incoming);
    requests.push(request);
    const body = answer(request);
    outgoing.statusCode = body === undefined ? 404 : 200;
    outgoing.setHeader('content-type', body === undefined ? 'application/problem+json' : 'application/json');
    outgoing.setHeader('etag', '"1"');
    outgoing.end(JSON.stringify(body ?? NOT_FOUND));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

const NOT_FOUND = {
  type: 'about:blank',
  title: 'Not found',
  status: 404,
  code: 'NOT_FOUND',
  detail: 'There is nothing.',
};

function toRequest({ method = '', url = '', headers }: IncomingMessage): CannedRequest {
  return { line: `${method} ${url}`, token: (headers.authorization ?? '').replace('Bearer ', '') };
}
