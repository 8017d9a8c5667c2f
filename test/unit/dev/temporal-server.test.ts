import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { respondsAt, startTemporalServer } from '../../../src/dev/temporal-server.ts';

/* A Temporal server that accepts connections before it has opened its database. */

const SYSTEM = 'GetSystemInfo';
const NAMESPACE = 'DescribeNamespace';

/** The names of the called methods. */
const asked = new Set<string>();
const answered = new Set<string>();
beforeEach(() => {
  asked.clear();
  answered.clear();
});

const server = createServer();
server.on('stream', (stream, { ':path': path }) => {
  const method = path?.split('/').at(-1) ?? '';
  asked.add(method);
  if (answered.has(method)) answerEmpty(stream);
});

function answerEmpty(stream: ServerHttp2Stream): void {
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  // A gRPC message of length 0 without flags.
  stream.end(Buffer.alloc(5));
}

beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')));
afterAll(() => void server.close());

function addressOf(bound: ReturnType<typeof server.address>): string {
  if (typeof bound === 'object' && bound) return `127.0.0.1:${bound.port}`;
  throw new TypeError('The server has no port');
}

test('a Temporal server that does not list its namespaces counts as not ready after a time-out', async () => {
  answered.add(SYSTEM);
  const look = async () => ({ isThere: await respondsAt(addressOf(server.address())), wasAsked: asked.has(NAMESPACE) });
  await expect.poll(look).toEqual({ isThere: false, wasAsked: true });
});

test('a Temporal server that lists its namespaces counts as ready', async () => {
  for (const method of [SYSTEM, NAMESPACE]) answered.add(method);
  await expect.poll(async () => await respondsAt(addressOf(server.address()))).toBe(true);
});

test('a Temporal server whose log can not be opened is not started', async () => {
  const logFile = tmpdir();
  const starting = startTemporalServer({ executable: '/nowhere/temporal', port: 1, uiPort: 2, logFile });
  await expect(starting).rejects.toThrow(`The log can't be written to ${logFile}: EISDIR`);
});
