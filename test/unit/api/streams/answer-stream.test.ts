import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import type { ApiEnv } from '../../../../src/api/deps.ts';
import { createTenantSlots } from '../../../../src/api/http/tenant-slots.ts';
import { answerStream } from '../../../../src/api/streams/answer-stream.ts';
import type { SseBody } from '../../../../src/api/streams/sse-body.ts';
import { listenOnPort, openAbort } from '../../../../src/process/listen.ts';
import { createLogger } from '../../../../src/process/logger.ts';

const slots = createTenantSlots({ perTenant: 1, total: 1 });
const LARGE = `data: ${'x'.repeat(1_048_576)}\n\n`;

/** Serves a stream on a port. @returns the port */
async function serve(produce: (body: SseBody) => Promise<void>): Promise<number> {
  const shuttingDown = openAbort();
  const deps = { logger: createLogger('silent'), shuttingDown: shuttingDown.signal, streaming: { stallMs: 300 } };
  const app = new Hono<ApiEnv>().get('/', (c) => {
    c.set('caller', { tenantId: 'acme', sub: 'u', roles: [], permissions: new Set() });
    return answerStream(c, deps, { slots, produce });
  });
  const listening = await listenOnPort(app, { port: 0, graceMs: 100 });
  onTestFinished(async () => {
    shuttingDown.abort();
    await listening.stop();
  });
  return listening.port;
}

/** Returns true if no stream is open. */
function isFree(): boolean {
  const giveBack = slots.take('acme');
  giveBack?.();
  return giveBack !== null;
}

test('the connection of a reader that takes nothing is closed, and its slot released', async () => {
  const port = await serve(async (body) => {
    while (await body.write(LARGE));
  });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  await expect.poll(isFree).toBe(false);
  await expect.poll(isFree).toBe(true);
  const closed = once(socket, 'close');
  socket.resume();
  expect(await closed).toEqual([expect.any(Boolean)]);
});

test('a disconnected reader is noticed at once, even if nothing is written', async () => {
  const port = await serve(async ({ over }) => void (await once(over, 'abort')));
  const leaving = new AbortController();
  const { body } = await fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal });
  expect(isFree()).toBe(false);
  leaving.abort();
  await expect.poll(isFree).toBe(true);
  await body?.cancel().catch(() => undefined);
});

test('a failing stream aborts its connection, so that its reader reconnects', async () => {
  const port = await serve(async () => await Promise.reject(new Error('the database is away')));
  const read = async (): Promise<string> => await (await fetch(`http://127.0.0.1:${port}/`)).text();
  await expect(read()).rejects.toThrow(/fetch failed|terminated/);
  expect(isFree()).toBe(true);
});
