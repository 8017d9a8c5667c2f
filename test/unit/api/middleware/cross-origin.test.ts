import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const PAGE = 'https://app.example';
let api: TestApi;
let closed: TestApi;
beforeAll(async () => {
  api = await startTestApi({ http: { cors: { origins: [PAGE, 'http://localhost:5173'], maxAge: '1h' } } });
  closed = await startTestApi({});
});
afterAll(async () => {
  await api.stop();
  await closed.stop();
});

/** Asks as a browser does before it sends a request of a page. */
const preflight = async (origin: string, path = '/api/chat/support', from = api): Promise<Response> =>
  await from.request(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });

const list = (response: Response, name: string): readonly string[] => response.headers.get(name)?.split(',') ?? [];

describe('a preflight request', () => {
  test.each([PAGE, 'http://localhost:5173'])('a preflight request of a page at %s is answered', async (origin) => {
    const response = await preflight(origin);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(list(response, 'access-control-allow-methods')).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
    expect(list(response, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'last-event-id',
        'prefer',
      ]),
    );
    expect(response.headers.get('access-control-max-age')).toBe('3600');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  test.each(['https://other.example', 'https://app.example.evil.example', 'http://app.example', 'null', '*'])(
    'a preflight request of a page at %s allows nothing',
    async (origin) => {
      expect((await preflight(origin)).headers.has('access-control-allow-origin')).toBe(false);
    },
  );

  test('without the setting, no preflight request is answered', async () => {
    const response = await preflight(PAGE, '/api/chat/support', closed);
    expect([response.status, [...response.headers.keys()].filter((name) => name.startsWith('access-control'))]).toEqual(
      [405, []],
    );
  });
});

describe('an answer to a page of another origin', () => {
  const ask = async (path: string, init: RequestInit = {}, token: string | null = api.tokens.user): Promise<Response> =>
    await api.request(path, {
      ...init,
      headers: {
        origin: PAGE,
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
    });

  test.each<[number, () => Promise<Response>]>([
    [200, async () => await ask('/api/runs')],
    [204, async () => await ask('/api/chat/T/stream')],
    [401, async () => await ask('/api/runs', {}, null)],
    [404, async () => await ask('/api/nothing')],
    [405, async () => await ask('/api/runs', { method: 'DELETE' })],
    [413, async () => await ask('/api/runs', { method: 'POST', body: `"${'x'.repeat(2_000_000)}"` })],
    [422, async () => await ask('/api/runs', { method: 'POST', body: '{}' })],
  ])('an answer with the status %i can be read by the page', async (status, answer) => {
    const response = await answer();
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, PAGE]);
    expect(list(response, 'access-control-expose-headers')).toEqual(
      expect.arrayContaining(['location', 'content-location', 'x-pagination-total', 'etag', 'retry-after']),
    );
    expect(response.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  test('a fault of the server can be read by the page', async () => {
    const broken = await startTestApi({ http: { cors: { origins: [PAGE] } } });
    Object.assign(broken.store.runs, {
      list: () => {
        throw new TypeError('broken');
      },
    });
    const headers = { origin: PAGE, authorization: `Bearer ${broken.tokens.user}` };
    const response = await broken.request('/api/runs', { headers });
    await broken.stop();
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([500, PAGE]);
  });
});
