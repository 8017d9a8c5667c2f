import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { fromNetwork, fromStatus } from '../../../../src/activities/calls/classify-failure.ts';
import { createGuardedFetch, createGuardedRequest } from '../../../../src/network/guarded-request.ts';
import { readBody } from '../../../../src/network/read-body.ts';
import { NetworkError } from '../../../../src/network/network-error.ts';
import { messageOf } from '../../../../src/graph/values/text.ts';
import { makeCertificates, tlsOptions } from '../../../support/servers/certificates.ts';
import { breakOff, closedPort, hangUp, startLoopbackServer } from '../../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../../support/doubles/loopback-server.ts';

type Callee = 'model' | 'tool';

function failure(status: number, headers: Record<string, string> = {}, callee: Callee = 'tool'): CallError {
  return fromStatus({ code: 'TOOL_FAILED', callee, message: 'pay answered', status, headers: new Headers(headers) });
}

describe('fromStatus', () => {
  const again = { retryable: true, done: 'perhaps' };
  const againUndone = { retryable: true, done: 'no' };
  const refused = { retryable: false, done: 'no' };
  const unclear = { retryable: false, done: 'perhaps' };

  test('an error made from an HTTP status has a code and a message', () => {
    expect(failure(400)).toMatchObject({ name: 'CallError', code: 'TOOL_FAILED', message: 'pay answered' });
  });

  test.each([
    [408, againUndone],
    [425, againUndone],
    [429, againUndone],
    [500, again],
    [501, again],
    [502, again],
    [503, again],
    [504, again],
    [529, again],
    [599, again],
    [400, refused],
    [401, refused],
    [403, refused],
    [404, refused],
    [405, refused],
    [410, refused],
    [413, refused],
    [415, refused],
    [422, refused],
    [423, refused],
    [451, refused],
    [499, refused],
  ])('HTTP status %i is classified as %o for models and tools', (status, verdict) => {
    expect(failure(status, {}, 'tool')).toMatchObject(verdict);
    expect(failure(status, {}, 'model')).toMatchObject(verdict);
  });

  test('HTTP status 409 is final for a tool and retryable for a model', () => {
    expect(failure(409, {}, 'tool')).toMatchObject(refused);
    expect(failure(409, {}, 'model')).toMatchObject(again);
  });

  test.each([301, 302, 303, 307, 308])(
    'the redirect %i is not followed, and counts as work that was possibly executed',
    (status) => {
      expect(failure(status)).toMatchObject(unclear);
    },
  );

  test.each([
    [400, 'true', againUndone],
    [404, 'true', againUndone],
    [429, 'false', refused],
    [503, 'false', unclear],
    [503, 'true', again],
  ])('status %i of a model with the header x-should-retry: %s is classified as %o', (status, told, verdict) => {
    expect(failure(status, { 'x-should-retry': told }, 'model')).toMatchObject(verdict);
  });

  test.each([
    [400, 'true', refused],
    [429, 'false', againUndone],
    [503, 'false', again],
  ])('status %i of a tool keeps its classification despite the header x-should-retry: %s', (status, told, verdict) => {
    expect(failure(status, { 'x-should-retry': told }, 'tool')).toMatchObject(verdict);
  });
});

describe('fromStatus with a header to wait', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-02T03:04:05Z') }));
  afterEach(() => vi.useRealTimers());

  test.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
  ])('the response headers %o give a retry delay of %s ms', (headers, retryAfterMs) => {
    expect(failure(429, headers)).toMatchObject({ retryAfterMs });
  });
});

describe('fromNetwork', () => {
  let server: LoopbackServer;
  beforeAll(async () => {
    server = await startLoopbackServer();
  });
  afterAll(async () => await server.stop());
  beforeEach(() => server.forget());

  /** Returns the failure of a request without a complete response. */
  async function failureAt(url: string, allow: string): Promise<CallError> {
    const request = createGuardedFetch([allow])(new URL(url), { method: 'POST', body: 'x' });
    const thrown = await request.then(readBody).catch((error: unknown) => error);
    return fromNetwork('TOOL_FAILED', thrown);
  }

  test('a call to a port on which no server listens was certainly not executed', async () => {
    const port = await closedPort();
    const error = await failureAt(`http://127.0.0.1:${port}`, `127.0.0.1:${port}`);
    expect(error).toMatchObject({ code: 'TOOL_FAILED', retryable: true, done: 'no' });
    expect(error.message).toBe('The connection failed: ECONNREFUSED');
  });

  test('a call was certainly not executed when no address of the host accepts the connection', async () => {
    const port = await closedPort();
    expect(await failureAt(`http://localhost:${port}`, `localhost:${port}`)).toMatchObject({
      retryable: true,
      done: 'no',
    });
  });

  test('a call was certainly not executed when the host name can not be resolved', async () => {
    const unresolvable = `${'x'.repeat(64)}.test`;
    expect(await failureAt(`http://${unresolvable}`, '')).toMatchObject({ retryable: true, done: 'no' });
  });

  test.each([
    ['before the answer', hangUp],
    ['within the answer', breakOff],
  ])('a call whose connection breaks %s was possibly executed', async (_when, breaking) => {
    server.answers(breaking);
    expect(await failureAt(server.url, server.address)).toMatchObject({ retryable: true, done: 'perhaps' });
    expect(server.requests).toHaveLength(1);
  });

  const systemError = (code: string, syscall: string | null): Error =>
    Object.assign(new Error('failed'), { code, ...(syscall !== null && { syscall }) });

  test.each<[string, string | null, 'no' | 'perhaps']>([
    ['ENOTFOUND', 'getaddrinfo', 'no'],
    ['EAI_AGAIN', 'getaddrinfo', 'no'],
    ['ECONNREFUSED', 'connect', 'no'],
    ['EHOSTUNREACH', 'connect', 'no'],
    ['ENETUNREACH', 'connect', 'no'],
    ['EAI_FAIL', 'getaddrinfo', 'no'],
    ['ETIMEDOUT', 'connect', 'no'],
    ['UND_ERR_CONNECT_TIMEOUT', null, 'no'],
    ['CERT_HAS_EXPIRED', null, 'no'],
    ['CERT_NOT_YET_VALID', null, 'no'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', null, 'no'],
    ['SELF_SIGNED_CERT_IN_CHAIN', null, 'no'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', null, 'no'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', null, 'no'],
    ['EPROTO', 'write', 'perhaps'],
    ['EHOSTUNREACH', 'read', 'perhaps'],
    ['ENETUNREACH', 'write', 'perhaps'],
    ['ECONNRESET', 'read', 'perhaps'],
    ['EPIPE', 'write', 'perhaps'],
    ['ETIMEDOUT', 'read', 'perhaps'],
    ['UND_ERR_SOCKET', null, 'perhaps'],
    ['UND_ERR_HEADERS_TIMEOUT', null, 'perhaps'],
    ['UND_ERR_BODY_TIMEOUT', null, 'perhaps'],
  ])('the network error %s during %s is classified as executed: "%s"', (code, syscall, done) => {
    const thrown = new TypeError('fetch failed', { cause: systemError(code, syscall) });
    expect(fromNetwork('MODEL_FAILED', thrown)).toMatchObject({
      code: 'MODEL_FAILED',
      retryable: true,
      done,
      cause: thrown,
    });
  });

  test.each<[string, readonly Error[], 'no' | 'perhaps']>([
    ['no address', [systemError('ETIMEDOUT', 'connect'), systemError('EHOSTUNREACH', 'connect')], 'no'],
    [
      'one address, whose connection then breaks,',
      [systemError('ENETUNREACH', 'connect'), systemError('EPIPE', 'write')],
      'perhaps',
    ],
    ['an unknown address', [], 'perhaps'],
  ])(
    'when %s accepts the connection, the errors of all addresses decide whether the call was possibly executed',
    (_which, errors, done) => {
      const tried = Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' });
      expect(fromNetwork('TOOL_FAILED', tried)).toMatchObject({ retryable: true, done });
      expect(fromNetwork('TOOL_FAILED', new TypeError('fetch failed', { cause: tried }))).toMatchObject({ done });
    },
  );

  test('a request that the HTTP client itself refuses is not retried', async () => {
    const sent = {
      method: 'POST',
      headers: { 'x-note': 'two\nlines' },
      body: null,
      signal: AbortSignal.timeout(5_000),
    };
    const request = createGuardedRequest([server.address])({ url: new URL(server.url), ...sent });
    const error = fromNetwork('TOOL_FAILED', await request.catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ retryable: false, done: 'no' });
    expect(error.message).toBe("The request can't be sent: invalid x-note header");
    expect(server.connections).toBe(0);
  });

  test('an error that is already classified stays unchanged', () => {
    expect(fromNetwork('MODEL_FAILED', busy)).toBe(busy);
  });

  const blocked = new NetworkError('blocked', 'The URL is blocked');
  const busy = new CallError('TOOL_FAILED', 'busy', { retryable: true, done: 'no', retryAfterMs: 5 });

  test.each<[string, NetworkError, object]>([
    ['a blocked address', blocked, { code: 'BLOCKED_URL', retryable: false, done: 'no' }],
    [
      'a too large answer',
      new NetworkError('too large', 'It is too large'),
      { code: 'PAYLOAD_TOO_LARGE', retryable: false, done: 'perhaps' },
    ],
    [
      'an exceeded limit of redirects',
      new NetworkError('too many redirects', 'It has no end'),
      { code: 'MODEL_FAILED', retryable: false, done: 'no' },
    ],
    [
      'a blocked address after a possibly executed request',
      new NetworkError('failed after a redirect', 'x', { cause: blocked }),
      { code: 'BLOCKED_URL', retryable: false, done: 'perhaps', message: 'The URL is blocked' },
    ],
    [
      'a refusal after a possibly executed request',
      new NetworkError('failed after a redirect', 'x', { cause: busy }),
      { code: 'TOOL_FAILED', retryable: true, done: 'perhaps', retryAfterMs: 5, message: 'busy' },
    ],
    [
      'a refused connection after a possibly executed request',
      new NetworkError('failed after a redirect', 'x', { cause: systemError('ECONNREFUSED', 'connect') }),
      { code: 'MODEL_FAILED', retryable: true, done: 'perhaps', message: 'The connection failed: ECONNREFUSED' },
    ],
  ])('%s has its own error class, also when it is the cause of another error', (_what, thrown, expected) => {
    const wanted = { name: 'CallError', message: thrown.message, ...expected };
    expect(fromNetwork('MODEL_FAILED', thrown)).toMatchObject(wanted);
    expect(fromNetwork('MODEL_FAILED', new TypeError('fetch failed', { cause: thrown }))).toMatchObject(wanted);
  });

  test('an unexpected error keeps its message, and its call was possibly executed', () => {
    expect(fromNetwork('TOOL_FAILED', 'odd')).toMatchObject({
      retryable: true,
      done: 'perhaps',
      message: 'The connection failed: odd',
    });
  });
});

describe('fromNetwork at a server with an unknown certificate', () => {
  let folder: string;
  let server: Server;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-certificates-'));
    const { cert, key } = await tlsOptions(await makeCertificates(folder));
    server = createServer({ cert, key });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  test('a request to a server with an untrusted certificate was certainly not sent', async () => {
    let heard = 0;
    server.on('request', () => heard++);
    const address = server.address();
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const request = createGuardedFetch([host])(new URL(`https://${host}`), { method: 'POST', body: 'x' });
    const error = fromNetwork('TOOL_FAILED', await request.catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ retryable: true, done: 'no' });
    expect(error.message).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(heard).toBe(0);
  });
});

describe('messageOf', () => {
  test.each([
    [new Error('broken'), 'broken'],
    ['text', 'text'],
    [undefined, 'undefined'],
  ])('the message of a thrown value is read from %o', (thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });
});
