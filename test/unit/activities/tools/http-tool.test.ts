import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import type { HttpToolSettings } from '../../../../src/activities/tools/http-tool.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aContext } from '../../../support/builders/call-builders.ts';
import { CANARY, aHttpTool } from '../../../support/builders/http-tool-builder.ts';
import { answer, closedPort, json, silence } from '../../../support/doubles/loopback-server.ts';
import type { Answer, ReceivedRequest } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

type Settings = Partial<HttpToolSettings> & { path?: string };

/** Returns the request of a call that gets 200. */
async function requestOf(settings: Settings, args: JsonObject = {}): Promise<ReceivedRequest> {
  server.answers(answer(200));
  await aHttpTool(server.address, settings).execute(args, aContext());
  const [request, ...more] = server.requests;
  if (!request || more.length > 0) throw new Error(`The server heard ${server.requests.length} requests`);
  return request;
}

/** The segments of the path and the values of the query, as a server reads them. */
function readTarget({ target }: ReceivedRequest): { path: string[]; query: [string, string][] } {
  const { pathname, searchParams } = new URL(target, server.url);
  return { path: pathname.split('/').slice(1).map(decodeURIComponent), query: [...searchParams] };
}

describe('arguments', () => {
  test.each(['POST', 'PUT', 'PATCH'] as const)(
    'an HTTP tool with %s sends its arguments as a JSON body',
    async (method) => {
      const request = await requestOf({ method }, { order: 7, note: 'ü' });
      expect(request).toMatchObject({ method, target: '/pay', headers: { 'content-type': 'application/json' } });
      expect(JSON.parse(request.body)).toEqual({ order: 7, note: 'ü' });
    },
  );

  test.each(['GET', 'DELETE'] as const)(
    'an HTTP tool with %s sends its arguments as query parameters',
    async (method) => {
      const request = await requestOf(
        { method },
        { q: 'a b&c=d', n: 7, flag: true, list: [1, { k: 'v' }], none: null },
      );
      expect(request).toMatchObject({ method, body: '' });
      expect(request.headers).not.toHaveProperty('content-type');
      const query = [
        ['q', 'a b&c=d'],
        ['n', '7'],
        ['flag', 'true'],
        ['list[0]', '1'],
        ['list[1][k]', 'v'],
      ];
      expect(readTarget(request)).toEqual({ path: ['pay'], query });
    },
  );

  test.each([
    ['repeat', '/pay?ids=a&ids=b&q=x+y'],
    ['brackets', '/pay?ids%5B%5D=a&ids%5B%5D=b&q=x+y'],
    ['commas', '/pay?ids=a%2Cb&q=x+y'],
  ] as const)(
    'a list in an HTTP tool’s query is written in the style "%s", and null is left out',
    async (lists, target) => {
      const request = await requestOf({ method: 'GET', lists }, { ids: ['a', 'b'], after: null, q: 'x y' });
      expect(request.target).toBe(target);
    },
  );

  test('a list in a template of an HTTP tool’s URL has commas between its escaped elements', async () => {
    const request = await requestOf(
      { path: '/orders/{{ args.ids }}?of={{ args.ids }}', method: 'GET' },
      { ids: ['a/b', 7] },
    );
    expect(request.target).toBe('/orders/a%2Fb,7?of=a%2Fb,7');
  });

  test.each(['POST', 'PUT', 'PATCH'] as const)(
    'an HTTP tool with %s sends its arguments as a form if it is configured so',
    async (method) => {
      const args = { amount: 5, currency: 'eur', metadata: { order: 'a&b' }, tags: ['x', 'y'], none: null };
      const request = await requestOf({ method, body: 'form', lists: 'brackets' }, args);
      expect(request.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
      expect([...new URLSearchParams(request.body)]).toEqual([
        ['amount', '5'],
        ['currency', 'eur'],
        ['metadata[order]', 'a&b'],
        ['tags[]', 'x'],
        ['tags[]', 'y'],
      ]);
    },
  );

  test('arguments that an HTTP tool’s URL used are not sent again in the body', async () => {
    const request = await requestOf(
      { path: '/orders/{{ args.id }}/{{ args["part"] }}' },
      { id: 'a7', part: 2, amount: 5 },
    );
    expect(request.target).toBe('/orders/a7/2');
    expect(JSON.parse(request.body)).toEqual({ amount: 5 });
  });

  test('arguments that an HTTP tool’s URL used are not sent again in the query, whose own parameters stay', async () => {
    const request = await requestOf({ method: 'GET', path: '/find?lang=en&q={{ args.q }}' }, { q: 'x', page: 2 });
    expect(readTarget(request)).toEqual({
      path: ['find'],
      query: [
        ['lang', 'en'],
        ['q', 'x'],
        ['page', '2'],
      ],
    });
  });

  test('an HTTP tool call without arguments sends an empty object', async () => {
    expect((await requestOf({ method: 'POST' })).body).toBe('{}');
  });
});

describe('templates in the URL', () => {
  const HOSTILE = [
    '../admin',
    '../../../admin',
    '..\\admin',
    'a/b',
    '/admin',
    'a?admin=1',
    'a#b',
    'a&admin=1',
    'a=b+c',
    '%2e%2e',
    '%2F',
    '@evil.example',
    '//evil.example',
    ';admin=1',
    ' ',
    'ü€😀',
    '{{ args.other }}',
    'line\r\nbreak',
    '\u0000',
  ];

  test.each(HOSTILE)('the argument %j stays within its path segment of an HTTP tool’s URL', async (id) => {
    const request = await requestOf({ path: '/orders/{{ args.id }}/refund' }, { id, other: 'x' });
    expect(readTarget(request)).toEqual({ path: ['orders', id, 'refund'], query: [] });
  });

  test.each(HOSTILE)('the argument %j stays within its query parameter of an HTTP tool’s URL', async (q) => {
    const request = await requestOf({ path: '/find?q={{ args.q }}&limit=1' }, { q });
    expect(readTarget(request)).toEqual({
      path: ['find'],
      query: [
        ['q', q],
        ['limit', '1'],
      ],
    });
  });

  test.each<[string, JsonObject]>([
    ['/orders/{{ args.id }}', { id: '..' }],
    ['/orders/{{ args.id }}/refund', { id: '..' }],
    ['/orders/{{ args.id }}/refund', { id: '.' }],
    ['/orders/.{{ args.id }}/refund', { id: '.' }],
    ['/orders/{{ args.a }}{{ args.b }}/refund', { a: '.', b: '.' }],
  ])('the URL %s with %j would leave its path segment and is refused', async (path, args) => {
    const call = aHttpTool(server.address, { path }).execute(args, aContext());
    await expect(call).rejects.toMatchObject({ code: 'INVALID_TOOL_ARGUMENTS', retryable: false, done: 'no' });
    expect(server.connections).toBe(0);
  });

  test.each<[string, JsonObject]>([
    ['is absent', {}],
    ['is half a character', { id: '\ud800' }],
    ['is empty', { id: '' }],
    ['is null', { id: null }],
  ])('a URL value that %s is refused before an HTTP tool sends anything', async (_what, args) => {
    const call = aHttpTool(server.address, { path: '/orders/{{ args.id }}?q=1' }).execute(args, aContext());
    await expect(call).rejects.toMatchObject({ retryable: false, done: 'no' });
    expect(server.connections).toBe(0);
  });

  test('a query value of an HTTP tool’s URL may be empty', async () => {
    const request = await requestOf({ path: '/find?q={{ args.q }}' }, { q: null });
    expect(readTarget(request)).toEqual({ path: ['find'], query: [['q', '']] });
  });
});

describe('headers', () => {
  test('an HTTP tool sends the call key in the header Idempotency-Key', async () => {
    expect((await requestOf({})).headers['idempotency-key']).toBe('K1');
  });

  test.each(['idempotency-key', 'Idempotency-Key', 'IDEMPOTENCY-KEY'])(
    'a configured header %s does not replace the call key',
    async (name) => {
      expect((await requestOf({ headers: { [name]: 'fixed' } })).headers['idempotency-key']).toBe('K1');
    },
  );

  test('configured headers of an HTTP tool are sent unchanged, with secrets resolved', async () => {
    const headers = { 'X-Shop': 'north', Authorization: { secret: 'PAY_KEY' } };
    expect((await requestOf({ headers })).headers).toMatchObject({
      'x-shop': 'north',
      authorization: `Bearer ${CANARY}`,
    });
  });

  test.each(['NO_KEY', 'EMPTY_KEY'])('an HTTP tool sends nothing without the secret %s', async (secret) => {
    const call = aHttpTool(server.address, { headers: { authorization: { secret } } }).execute({}, aContext());
    await expect(call).rejects.toThrow(secret);
    await expect(call).rejects.toMatchObject({ done: 'no' });
    expect(server.connections).toBe(0);
  });

  test('an HTTP tool sends nothing when a secret is resolved too late', async () => {
    const headers = { authorization: { secret: 'PAY_KEY' } };
    const late = new CallError('TIMEOUT', 'late', { retryable: true, done: 'no' });
    const context = aContext({ prepare: async () => await Promise.reject(late) });
    const call = aHttpTool(server.address, { headers }).execute({}, context);
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', done: 'no' });
    expect(server.connections).toBe(0);
  });
});

describe('a header that no request can have', () => {
  test.each([
    ['authorization', { secret: 'BROKEN_KEY' }],
    ['x-price', '5 €'],
    ['two words', 'x'],
  ])('an invalid header prevents the call of an HTTP tool: %s with %o', async (name, value) => {
    const call = aHttpTool(server.address, { effect: 'unsafe', headers: { [name]: value } }).execute({}, aContext());
    await expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: false, done: 'no' });
    await expect(call).rejects.toThrow(`The header "${name}" can't be sent`);
    await expect(call).rejects.not.toThrow(CANARY);
    expect(server.connections).toBe(0);
  });
});

describe('secrets are never in an error', () => {
  const messageOf = async (address: string, secret: string): Promise<string> => {
    const call = aHttpTool(address, { headers: { authorization: { secret } } }).execute({}, aContext());
    return await call.then(
      () => 'no error',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  };

  test('secrets of an HTTP tool are not in the error when the server refuses the connection', async () => {
    const message = await messageOf(`127.0.0.1:${await closedPort()}`, 'PAY_KEY');
    expect(message).toContain('ECONNREFUSED');
    expect(message).not.toContain(CANARY);
  });

  test('secrets of an HTTP tool are not in the error when the server echoes the request', async () => {
    server.answers(answer(401, {}, `I do not know Bearer ${CANARY}`));
    const message = await messageOf(server.address, 'PAY_KEY');
    expect(message).toContain('401');
    expect(message).not.toContain(CANARY);
  });

  test('a secret of an HTTP tool is not in the error in part when a long answer is truncated', async () => {
    for (let length = 480; length < 1_000; length += 5) {
      server.answers(answer(401, {}, `${'x'.repeat(length)} ${CANARY} is not known`));
      expect(await messageOf(server.address, 'PAY_KEY')).not.toContain(CANARY.slice(0, 4));
    }
  });

  test('a secret that no header can contain is not in the error of an HTTP tool', async () => {
    const message = await messageOf(server.address, 'BROKEN_KEY');
    expect(message).not.toBe('no error');
    expect(message).not.toContain(CANARY);
  });
});

describe('secrets are never in a result', () => {
  const headers = { authorization: { secret: 'PAY_KEY' }, 'x-pin': { secret: 'PIN' } };
  const resultOf = async (given: Answer): Promise<Json> => {
    server.answers(given);
    return await aHttpTool(server.address, { headers }).execute({}, aContext());
  };

  test('secrets are not in an HTTP tool’s result, wherever the server echoes the request', async () => {
    const echo = { headers: { authorization: `Bearer ${CANARY}` }, seen: [`key=${CANARY}&n=1`], [CANARY]: 7 };
    expect(await resultOf(json(echo))).toEqual({
      headers: { authorization: '[secret]' },
      seen: ['key=[secret]&n=1'],
      '[secret]': 7,
    });
  });

  test('secrets are not in an HTTP tool’s result that is no JSON', async () => {
    expect(await resultOf(answer(200, {}, `Hello ${CANARY}`))).toEqual({ text: 'Hello [secret]' });
  });

  test('short secrets that may occur by chance stay in an HTTP tool’s result', async () => {
    expect(await resultOf(json({ street: 'Main 1234567' }))).toEqual({ street: 'Main 1234567' });
  });
});

describe('an abort', () => {
  test('an abort closes the connection while the answer of an HTTP tool is awaited', async () => {
    const { answer, asked, left } = silence();
    server.answers(answer);
    const controller = new AbortController();
    const call = aHttpTool(server.address).execute({}, aContext({ signal: controller.signal }));
    await asked;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED', done: 'perhaps' });
    await left;
  });

  test('an HTTP tool that is aborted before its call sends nothing', async () => {
    const call = aHttpTool(server.address).execute({}, aContext({ signal: AbortSignal.abort() }));
    await expect(call).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    expect(server.requests).toHaveLength(0);
  });
});
