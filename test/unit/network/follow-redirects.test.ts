import { describe, expect, test } from 'vitest';
import { followRedirects } from '../../../src/network/follow-redirects.ts';
import type { GuardedRequest, HttpRequest } from '../../../src/network/guarded-request.ts';
import type { HttpToolSettings } from '../../../src/activities/tools/http-tool.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aContext } from '../../support/builders/call-builders.ts';
import { CANARY, aHttpTool } from '../../support/builders/http-tool-builder.ts';
import { answer, closedPort, json } from '../../support/doubles/loopback-server.ts';
import type { Answer } from '../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../support/doubles/use-loopback-server.ts';

const MAX_HOPS = 10;
const server = await useLoopbackServer();
const elsewhere = await useLoopbackServer();

const to = (location: string, status = 302) => answer(status, { location });
const done = json({ done: true });

async function call(over: Partial<HttpToolSettings> = {}, allow: readonly string[] = []): Promise<Json> {
  return await aHttpTool(server.address, over, allow).execute({ order: 7 }, aContext());
}

const heard = () => server.requests.map(({ method, target, body }) => `${method} ${target} ${body}`.trimEnd());

describe('redirects within one origin', () => {
  const body = '{"order":7}';
  test.each([
    [301, 'POST', `GET /there`],
    [302, 'POST', `GET /there`],
    [303, 'POST', `GET /there`],
    [307, 'POST', `POST /there ${body}`],
    [308, 'POST', `POST /there ${body}`],
    [303, 'PUT', 'GET /there'],
    [301, 'GET', 'GET /there'],
    [303, 'DELETE', 'GET /there'],
    [308, 'DELETE', 'DELETE /there'],
  ] as const)(
    'a redirect within one origin, with status %i after a %s request, leads to a %s request',
    async (status, method, expected) => {
      server.answers(to('/there', status), done);
      expect(await call({ method })).toEqual({ done: true });
      expect(heard().slice(1)).toEqual([expected]);
    },
  );

  test('redirects within one origin keep the headers, except those of a dropped body', async () => {
    server.answers(to('/there', 303), done);
    await call({ headers: { 'X-Shop': 'north', Authorization: { secret: 'PAY_KEY' } } });
    const headers = server.requests[1]?.headers;
    expect(headers).toMatchObject({ 'x-shop': 'north', authorization: `Bearer ${CANARY}`, 'idempotency-key': 'K1' });
    expect(headers).not.toHaveProperty('content-type');
  });

  test('redirects within one origin are followed up to a limit', async () => {
    server.answers(...Array.from({ length: MAX_HOPS }, () => to('/on', 307)), done);
    expect(await call()).toEqual({ done: true });
    server.forget();
    server.answers(...Array.from({ length: MAX_HOPS + 2 }, () => to('/round', 307)));
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false, done: 'no' });
    expect(server.requests).toHaveLength(MAX_HOPS + 1);
  });

  test.each<[string, Answer, 'POST' | 'PUT' | 'DELETE']>([
    ['no Location header', answer(302), 'POST'],
    ['a Location that is no URL', to('http://['), 'POST'],
    ['a status that is no redirect to a Location', answer(304, { location: '/there' }), 'POST'],
    ['a Location in answer to a PUT', to('/there', 302), 'PUT'],
    ['a Location in answer to a DELETE', to('/there', 301), 'DELETE'],
  ])('a response with a redirect status is final if it has %s', async (_title, given, method) => {
    server.answers(given, done);
    await expect(call({ method })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
      done: 'perhaps',
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe('redirects to another origin', () => {
  const headers = {
    Authorization: 'Basic abc',
    Cookie: 'session=1',
    'X-Api-Key': { secret: 'PAY_KEY' },
    'X-Shop': 'north',
  };

  const bodiless = { headers: { ...headers, Accept: 'text/plain' }, method: 'GET' } as const;
  const left = ['authorization', 'cookie', 'x-api-key', 'x-shop', 'idempotency-key'];

  test.each([
    [307, 'GET'],
    [303, 'POST'],
  ] as const)(
    'a redirect to another origin with status %i after a %s request drops all headers about the caller',
    async (status, method) => {
      server.answers(to(`${elsewhere.url}/there`, status));
      elsewhere.answers(done);
      expect(await call({ ...bodiless, method }, [elsewhere.address])).toEqual({ done: true });
      const [request] = elsewhere.requests;
      expect(request).toMatchObject({ method: 'GET', body: '' });
      expect(request?.headers).toMatchObject({ accept: 'text/plain', host: elsewhere.address });
      for (const name of left) expect(request?.headers).not.toHaveProperty(name);
    },
  );

  test('headers dropped by a redirect are not sent again to the first origin', async () => {
    server.answers(to(elsewhere.url, 307), done);
    elsewhere.answers(to(`${server.url}/home`, 307));
    expect(await call(bodiless, [elsewhere.address])).toEqual({ done: true });
    const [, request] = server.requests;
    expect(request?.target).toMatch(/^\/home/);
    for (const name of left) expect(request?.headers).not.toHaveProperty(name);
  });

  test.each([307, 308])('a redirect with status %i does not take a body to another origin', async (status) => {
    server.answers(to(`${elsewhere.url}/there`, status));
    const sent = call({}, [elsewhere.address]);
    await expect(sent).rejects.toMatchObject({ code: 'BLOCKED_URL', done: 'no' });
    await expect(sent).rejects.toThrow(`redirects to ${elsewhere.url}`);
    expect(elsewhere.connections).toBe(0);
  });

  test.each([
    ['https://pay.example/', 'http://pay.example/there'],
    ['http://pay.example/', 'https://pay.example/there'],
    ['https://pay.example/', 'https://pay.example:8443/there'],
    ['https://pay.example/', 'https://www.pay.example/there'],
  ])('a redirect to another origin, from %s to %s, drops headers and body', async (url, location) => {
    const sent: HttpRequest[] = [];
    const send: GuardedRequest = async (request) => {
      sent.push(request);
      const status = sent.length === 1 ? 307 : 200;
      const headers = new Headers({ location });
      return await Promise.resolve({
        status,
        headers,
        readText: async () => '',
        readBytes: async () => new Uint8Array(),
        discard: () => undefined,
      });
    };
    const follow = async (method: string, body: string | null): Promise<number> => {
      const { signal } = new AbortController();
      const request = { url: new URL(url), method, headers: { authorization: 'Basic abc' }, body, signal };
      return await followRedirects(send, request, async ({ status }) => await Promise.resolve(status));
    };
    expect(await follow('GET', null)).toBe(200);
    expect(sent[1]?.url.href).toBe(location);
    expect(sent[1]?.headers).not.toHaveProperty('authorization');
    sent.length = 0;
    await expect(follow('POST', '{}')).rejects.toMatchObject({ name: 'NetworkError', reason: 'blocked' });
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['a private address', () => elsewhere.url],
    ['another spelling of a private address', () => `http://0x7f.1:${elsewhere.port}/`],
    ['a private IPv6 address', () => `http://[::ffff:127.0.0.1]:${elsewhere.port}/`],
    ['a name that resolves to a private address', () => `http://localhost:${elsewhere.port}/`],
    ['a URL with credentials', () => `http://user:secret@${server.address}/`],
    ['another protocol', () => 'file:///etc/passwd'],
  ])('a redirect to %s is blocked without a request to its server', async (_title, location) => {
    server.answers(to(location(), 307));
    await expect(call()).rejects.toMatchObject({ code: 'BLOCKED_URL', retryable: false, done: 'no' });
    expect(server.requests).toHaveLength(1);
    expect(elsewhere.connections).toBe(0);
  });
});

describe('a failure after a redirect that a GET follows', () => {
  test.each<[string, () => Promise<string>]>([
    ['of the second server', async () => '/busy'],
    ['of the connection', async () => `http://127.0.0.1:${await closedPort()}/`],
  ])('a failed GET after a redirect possibly did its work: a failure %s', async (_title, place) => {
    const location = await place();
    server.answers(to(location, 303), answer(429));
    await expect(call({}, [new URL(location, server.url).host])).rejects.toMatchObject({ done: 'perhaps' });
  });

  test('a failure of the network guard after a redirect leaves the work possibly done', async () => {
    server.answers(to(elsewhere.url, 303));
    await expect(call()).rejects.toMatchObject({ code: 'BLOCKED_URL', retryable: false, done: 'perhaps' });
    expect(elsewhere.connections).toBe(0);
  });

  test('a failure after a redirect leaves the work undone if the redirect repeats the request', async () => {
    server.answers(to('/busy', 307), answer(429));
    await expect(call()).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: true, done: 'no' });
  });
});
