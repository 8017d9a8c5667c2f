import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answersAt, startTemporalServer } from '../../../src/dev/temporal-server.ts';

/* A Temporal server that takes connections before it has opened its database. */

const server = createServer();
server.on('stream', (stream, { ':path': path }) => {
  if (path?.endsWith('/GetSystemInfo')) answerEmpty(stream);
});

function answerEmpty(stream: ServerHttp2Stream): void {
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  // No flags, and a message of length 0.
  stream.end(Buffer.alloc(5));
}

beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')));
afterAll(() => void server.close());

test('a server that says nothing of its namespaces does not answer, which is known in time', async () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  expect(await answersAt(`127.0.0.1:${port}`)).toBe(false);
});

test('no server is started whose log can not be opened', async () => {
  const logFile = tmpdir();
  const starting = startTemporalServer({ executable: '/nowhere/temporal', port: 1, uiPort: 2, logFile });
  await expect(starting).rejects.toThrow(`The log can't be written to ${logFile}: EISDIR`);
});
