import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../../src/client/index.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

type Caller = 'user' | 'approver' | 'admin' | 'otherTenantUser';

const store = async (
  body: string | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
  caller: Caller = 'user',
) => await api.as(caller).send('/api/blobs', { method: 'POST', headers, body, duplex: 'half' });
const open = async (id: string, headers: Record<string, string> = {}, method = 'GET') =>
  await api.request(`/api/blobs/${id}`, {
    method,
    headers: { authorization: `Bearer ${api.tokens.user}`, ...headers },
  });
const clientOf = (caller: Caller) =>
  createClient({
    baseUrl: 'http://127.0.0.1',
    token: api.tokens[caller],
    fetch: async (url, init) => await api.request(url, init),
    attempts: 1,
  });

const MIB = 1_048_576;
/** A body in chunks that are not aligned with pieces. */
const inChunks = (bytes: Uint8Array, size = 70_001): ReadableStream<Uint8Array> =>
  ReadableStream.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    ),
  );

describe('a stored file', () => {
  test.each([0, 1, MIB, MIB + 1, 3 * MIB - 7])('a stored file of %i bytes is returned unchanged', async (size) => {
    const bytes = randomBytes(size);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const stored = await store(inChunks(bytes), { 'content-type': 'image/png; name="a b"' });
    const id = textAt(stored.body, '/id');
    expect(stored).toMatchObject({ status: 201, body: { size, sha256, contentType: 'image/png; name="a b"' } });
    expect(stored.headers.get('location')).toBe(`/api/blobs/${id}`);
    const answer = await open(id);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png; name="a b"',
      'content-length': String(size),
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
      etag: `"${sha256}"`,
    });
    expect(await open(id, { 'if-none-match': `W/"x", "${sha256}"` })).toMatchObject({ status: 304, body: null });
    expect(await open(id, { 'if-none-match': '"x"' }, 'HEAD')).toMatchObject({ status: 200, body: null });
  });

  test('a stored file without a media type is application/octet-stream', async () => {
    const stored = await clientOf('user').files.store(new Uint8Array([0, 255]));
    expect(stored.contentType).toBe('application/octet-stream');
    const read = await clientOf('user').files.read(stored.id);
    expect([read.type, [...new Uint8Array(await read.arrayBuffer())]]).toEqual(['application/octet-stream', [0, 255]]);
  });

  test('a stored file is read by the user who stored it and by users with payload:read', async () => {
    const { id } = await clientOf('admin').files.store(new Blob(['secret'], { type: 'text/plain' }));
    const path = `/api/blobs/${id}`;
    expect(await api.as('user').get(path)).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(await api.as('approver').get(path)).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(await api.as('otherTenantUser').get(path)).toMatchObject(aProblem(404, 'NOT_FOUND'));
    for (const owner of ['user', 'otherTenantUser'] as const) {
      const own = await clientOf(owner).files.store(new Blob([owner]));
      expect(await (await clientOf('admin').files.read(own.id)).text()).toBe(owner);
    }
  });

  test('a file is stored once for an idempotency key', async () => {
    const key = { 'idempotency-key': 'once', 'content-type': 'text/plain' };
    const first = await store('one', key);
    const again = await store('one', key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await store('two', key)).toMatchObject(aProblem(422, 'IDEMPOTENCY_KEY_REUSED'));
    expect(await store('one', { ...key, 'content-type': 'text/html' })).toMatchObject({ status: 422 });
    expect(await (await open(textAt(first.body, '/id'))).text()).toBe('one');
  });

  test.each<[string, Record<string, string>, number]>([
    ['without a media type', { 'content-type': 'png' }, 415],
    ['with a media type that is not ASCII', { 'content-type': 'text/plain; a=ä' }, 415],
    ['with a content encoding', { 'content-encoding': 'gzip' }, 415],
    ['whose Content-Length is too large', { 'content-length': String(64 * MIB + 1) }, 413],
  ])('a file upload %s is refused', async (_what, headers, status) => {
    expect(await store('x', headers)).toMatchObject({ status });
  });

  test('a file upload that exceeds the limit while it arrives leaves nothing behind', async () => {
    const chunk = Buffer.alloc(MIB);
    const piecesOf = async () => await api.store.database.query('select from file_pieces');
    const before = (await piecesOf()).rows.length;
    const endless = ReadableStream.from(Array.from({ length: 66 }, () => chunk));
    expect(await store(endless)).toMatchObject(aProblem(413, 'BODY_TOO_LARGE'));
    expect((await piecesOf()).rows.length).toBe(before);
  });

  test('storing a file requires the permission to start runs, and has no query parameters', async () => {
    expect(await store('x', {}, 'approver')).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(await api.as('user').send('/api/blobs?name=x', { method: 'POST', body: 'x' })).toMatchObject({
      status: 422,
      body: { issues: [{ path: '/name' }] },
    });
  });
});

test('a tenant stores eight files at a time, and may send the ninth later', async () => {
  const bodies = Array.from({ length: 8 }, () => new TransformStream<Uint8Array, Uint8Array>());
  const open = bodies.map(async ({ readable }) => await store(readable));
  const ninth = async (caller: Caller = 'user') => await store('another', {}, caller);
  await expect
    .poll(async () => await ninth())
    .toMatchObject(aProblem(429, 'TOO_MANY_REQUESTS', { 'retry-after': /^\d+$/ }));
  expect(await ninth('otherTenantUser')).toMatchObject({ status: 201 });
  await Promise.all(bodies.map(async ({ writable }) => await writable.close()));
  expect((await Promise.all(open)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  expect(await ninth()).toMatchObject({ status: 201 });
});
