import { once } from 'node:events';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApiEnv } from '../../../../src/api/deps.ts';
import { sendStream } from '../../../../src/api/streams/answer-stream.ts';
import { openAbort } from '../../../../src/process/listen.ts';
import { createLogger } from '../../../../src/process/logger.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends a stream that writes nothing until it is over, to a reader that does not read. */
async function send({ maxMs, tokenMs }: { readonly maxMs?: number; readonly tokenMs?: number } = {}) {
  const shutdown = openAbort();
  const over = vi.fn<() => void>();
  const app = new Hono<ApiEnv>().get('/', (c) => {
    const token = tokenMs !== undefined && { expiresAtMs: Date.now() + tokenMs };
    c.set('caller', { tenantId: 'acme', sub: 'u', roles: [], permissions: new Set(), ...token });
    return sendStream(
      c,
      { logger: createLogger('silent'), shuttingDown: shutdown.signal },
      {
        headers: {},
        over,
        produce: async (body) => void (body.over.aborted || (await once(body.over, 'abort'))),
        ...(maxMs !== undefined && { maxMs }),
      },
    );
  });
  const response = await app.request('/');
  return { over, shutdown, response };
}

test.each([
  ['its maximal duration', { maxMs: 5_000, tokenMs: 9_000 }],
  ['the expiry of the token', { maxMs: 9_000, tokenMs: 5_000 }],
])('an event stream ends after %s, and releases its slot', async (_what, times) => {
  const { over, response } = await send(times);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toHaveBeenCalledTimes(1);
  expect(await response.text()).toBe('');
});

test('an event stream without a maximal duration ends when nobody reads it', async () => {
  const { over } = await send();
  await vi.advanceTimersByTimeAsync(75_000);
  expect(over).toHaveBeenCalledTimes(1);
});

test('an event stream ends when the process shuts down', async () => {
  const { over, shutdown } = await send();
  shutdown.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(over).toHaveBeenCalledTimes(1);
});
