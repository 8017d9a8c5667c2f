import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/client/holdfast-error.ts';
import { createSend } from '../../../src/client/send.ts';
import type { Send, Timing } from '../../../src/client/send.ts';
import { problemResponse } from '../../../src/process/problem.ts';

type Step = () => Response;

interface Scripted {
  readonly send: Send;
  readonly requests: Request[];
  readonly pauses: number[];
}

const NOW = Date.parse('2030-01-01T00:00:00Z');

/** A client whose requests get scripted responses; the last one is repeated. */
function scripted(...steps: readonly Step[]): Scripted {
  const requests: Request[] = [];
  const pauses: number[] = [];
  const timing: Timing = {
    now: () => NOW,
    random: () => 0,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
    },
  };
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    requests.push(new Request(url, init));
    const step = steps[Math.min(requests.length, steps.length) - 1];
    if (!step) throw new Error('no step');
    return step();
  };
  return { send: createSend({ baseUrl: 'http://api.test/base/', token: 't', fetch }, timing), requests, pauses };
}

const ok: Step = () => Response.json({ fine: true });
const refused =
  (status: number, headers: Readonly<Record<string, string>> = {}, code = 'UNAVAILABLE'): Step =>
  () =>
    problemResponse({ code, status, message: 'not now', headers }, '/api/runs');
const broken: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
};

/** The error of Node's `fetch` for a port at which nothing listens. */
const unconnected: Step = () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  throw new TypeError('fetch failed', { cause });
};

const POST = { method: 'POST', path: '/api/runs', body: { graph: 'g' } } as const;
const GET = { method: 'GET', path: '/api/runs', query: { limit: 2, status: undefined } } as const;

describe('a request', () => {
  test('a request of the client has the token, the query and the base path', async () => {
    const { send, requests } = scripted(ok);
    expect(await send.json(GET)).toEqual({ fine: true });
    expect(requests[0]?.url).toBe('http://api.test/base/api/runs?limit=2');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer t');
    expect(requests[0]?.headers.has('idempotency-key')).toBe(false);
  });

  test('a request of the client keeps its idempotency key in each attempt, and another call has another key', async () => {
    const { send, requests } = scripted(broken, refused(503), ok);
    await send.json(POST);
    await send.json(POST);
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(4);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
    expect(await requests[2]?.json()).toEqual({ graph: 'g' });
  });

  test('a request of the client accepts a given idempotency key, and gets a token for each attempt', async () => {
    const tokens = ['a', 'b'];
    const requests: Headers[] = [];
    const fetch = async (_: string, init: RequestInit): Promise<Response> => {
      requests.push(new Headers(init.headers));
      return requests.length === 1 ? refused(503, { 'retry-after': '0' })() : ok();
    };
    const token = async () => tokens.shift() ?? '';
    const timing: Timing = { now: () => NOW, random: () => 0, sleep: async () => {} };
    await createSend({ baseUrl: 'http://api.test', token, fetch }, timing).json(POST, { idempotencyKey: 'mine' });
    expect(requests.map((headers) => headers.get('authorization'))).toEqual(['Bearer a', 'Bearer b']);
    expect(requests.map((headers) => headers.get('idempotency-key'))).toEqual(['mine', 'mine']);
  });
});

describe('another attempt', () => {
  test.each([
    ['seconds', { 'retry-after': '7' }, [7_000]],
    ['milliseconds', { 'retry-after-ms': '40', 'retry-after': '7' }, [40]],
    ['a date', { 'retry-after': 'Tue, 01 Jan 2030 00:00:03 GMT' }, [3_000]],
    ['no time', {}, [250]],
  ])('the client retries a request after the time in Retry-After: %s', async (_what, headers, expected) => {
    const { send, pauses } = scripted(refused(429, headers, 'TOO_MANY_REQUESTS'), ok);
    await send.json(GET);
    expect(pauses).toEqual(expected);
  });

  test('the client retries a request after growing delays, up to a maximum number of attempts', async () => {
    const { send, requests, pauses } = scripted(broken);
    await expect(send.json(POST)).rejects.toMatchObject({
      code: 'UNREACHABLE',
      status: null,
      message: "UNREACHABLE: http://api.test can't be reached: connect ECONNREFUSED",
    });
    expect(requests).toHaveLength(6);
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000]);
  });

  test('the client retries a request that is in progress under the same idempotency key', async () => {
    const { send, requests } = scripted(refused(409, { 'retry-after': '1' }, 'REQUEST_IN_PROGRESS'), ok);
    await send.json(POST);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['a refusal', refused(409, {}, 'NOT_ALLOWED_NOW')],
    ['an internal error of the server', refused(500, {}, 'INTERNAL')],
    ['an answer with a Retry-After of a minute', refused(503, { 'retry-after': '60' })],
  ])('the client does not retry a request after %s', async (_what, step) => {
    const { send, requests } = scripted(step, ok);
    await expect(send.json(POST)).rejects.toBeInstanceOf(HoldfastError);
    expect(requests).toHaveLength(1);
  });

  test('the client does not retry an aborted request', async () => {
    const { send, requests } = scripted(broken);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(send.json(GET, { signal })).rejects.toThrow('enough');
    expect(requests).toHaveLength(1);
  });
});

describe('an error', () => {
  test('an error of the client has the fields of the problem document', async () => {
    const issues = [{ path: '/graph', message: 'is missing' }];
    const problem = { code: 'INVALID_REQUEST', status: 422, message: 'wrong', issues, mayTakeEffect: true };
    const { send } = scripted(() => problemResponse(problem, '/api/runs'));
    await expect(send.json(POST)).rejects.toMatchObject({
      name: 'HoldfastError',
      code: 'INVALID_REQUEST',
      status: 422,
      detail: 'wrong',
      issues,
      mayTakeEffect: true,
    });
  });

  const says = (code: string, status: number, mayTakeEffect = false): Step => {
    return () => problemResponse({ code, status, message: 'no', mayTakeEffect }, '/api/runs');
  };
  const cut: Step = () => new Response('{"id":"01', { status: 201 });
  const gateway: Step = () => new Response('<html>', { status: 504 });
  const busy = says('REQUEST_IN_PROGRESS', 409);
  const outOfRights = says('FORBIDDEN', 403);
  const PATCH = { ...POST, method: 'PATCH' } as const;
  const DELETE = { method: 'DELETE', path: '/api/schedules/s' } as const;

  test.each([
    { what: 'no answer', request: POST, steps: [broken], expected: true },
    { what: 'an answer of a gateway', request: POST, steps: [gateway], expected: true },
    { what: 'a truncated answer', request: POST, steps: [cut], expected: true },
    { what: 'a request that is still in progress', request: POST, steps: [busy], expected: true },
    { what: 'an internal error of the server', request: POST, steps: [says('INTERNAL', 500)], expected: true },
    { what: 'an API that is unavailable', request: POST, steps: [says('UNAVAILABLE', 503)], expected: true },
    {
      what: 'an API that does not know the outcome',
      request: POST,
      steps: [says('NOT_ALLOWED_NOW', 409, true)],
      expected: true,
    },
    { what: 'a refusal', request: POST, steps: [says('INVALID_INPUT', 422)], expected: false },
    {
      what: 'a refusal by a proxy',
      request: POST,
      steps: [() => new Response('<html>', { status: 413 })],
      expected: false,
    },
    {
      what: 'a refusal under the key of a lost attempt',
      request: POST,
      steps: [broken, says('INVALID_INPUT', 422)],
      expected: false,
    },
    {
      what: 'a refusal of the caller after a lost attempt',
      request: POST,
      steps: [broken, outOfRights],
      expected: true,
    },
    {
      what: 'too many requests after a lost attempt',
      request: POST,
      steps: [broken, busy, says('TOO_MANY_REQUESTS', 429)],
      expected: true,
    },
    { what: 'a deletion that finds nothing', request: DELETE, steps: [says('NOT_FOUND', 404)], expected: false },
    {
      what: 'a deletion that finds nothing after a lost attempt',
      request: DELETE,
      steps: [broken, says('NOT_FOUND', 404)],
      expected: true,
    },
    { what: 'a refused connection', request: POST, steps: [unconnected], expected: false },
    { what: 'a refused connection after a lost attempt', request: POST, steps: [broken, unconnected], expected: true },
    { what: 'a GET request', request: GET, steps: [broken], expected: false },
  ])(
    'an error of the client states whether the request was possibly executed: $what',
    async ({ request, steps, expected }) => {
      const { send, requests } = scripted(...steps);
      const error: unknown = await send.json(request).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(HoldfastError);
      expect(error).toMatchObject({
        mayTakeEffect: expected,
        idempotencyKey: requests[0]?.headers.get('idempotency-key'),
      });
    },
  );

  test.each([
    [outOfRights, true],
    [says('INVALID_INPUT', 422), false],
  ])(
    'an error of the client for a given idempotency key states whether an earlier call was possibly executed (%#)',
    async (step, expected) => {
      const sent = scripted(step).send.json(POST, { idempotencyKey: 'mine' });
      await expect(sent).rejects.toMatchObject({ idempotencyKey: 'mine', mayTakeEffect: expected });
    },
  );

  test('an error of the client contains the given idempotency key', async () => {
    const { send } = scripted(cut);
    const tagged = send.tagged(PATCH, { idempotencyKey: 'mine' });
    await expect(tagged).rejects.toMatchObject({ idempotencyKey: 'mine', mayTakeEffect: true });
  });

  test.each([
    ['a refusal', () => new Response('<html>', { status: 404 })],
    ['a success', () => new Response('<html>')],
  ])('an error of the client reports that the response is not from the API: %s', async (_what, step) => {
    await expect(scripted(step).send.json(GET)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });
});
