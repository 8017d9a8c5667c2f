import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HttpTransport } from '../../../../../src/activities/tools/mcp/http-transport.ts';
import type { GuardedFetch } from '../../../../../src/network/guarded-request.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const silent: GuardedFetch = async (_url, { signal }) =>
  await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

test('an MCP notification is abandoned when the server does not accept it', async () => {
  const transport = new HttpTransport({
    url: new URL('https://odd.example'),
    fetch: silent,
    headers: async () => ({}),
  });
  await transport.start();
  const sent = transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await sent).toMatchObject({ message: 'The server has not taken a message within 10 s', retryable: true });
});
