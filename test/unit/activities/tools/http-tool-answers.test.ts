import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/graph/values/json.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';
import { aContext } from '../../../support/builders/call-builders.ts';
import { aHttpTool } from '../../../support/builders/http-tool-builder.ts';
import { answer, breakOff, closedPort, endlessText, hangUp, json } from '../../../support/doubles/loopback-server.ts';
import type { Answer } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const MAX_BODY_BYTES = 1_000_000;
const JSON_TYPE = { 'content-type': 'application/json' };

const server = await useLoopbackServer();

/** Returns a tool's result for a response. */
async function resultOf(given: Answer): Promise<Json> {
  server.answers(given);
  return await aHttpTool(server.address).execute({}, aContext());
}

describe('a result', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/problem+json',
    'application/vnd.shop.v2+json;v=1',
  ])('the result of an HTTP tool is the JSON value of a body of type %s', async (type) => {
    expect(await resultOf(answer(200, { 'content-type': type }, '{"ok":[1,null]}'))).toEqual({ ok: [1, null] });
  });

  test.each(['7', '"text"', 'null', '[]', '{"__proto__":{"admin":true}}'])(
    'the result of an HTTP tool may be %s',
    async (body) => {
      expect(JSON.stringify(await resultOf(answer(201, JSON_TYPE, body)))).toBe(body);
    },
  );

  test.each(['text/plain', 'text/html', 'application/xml', 'application/x-ndjson', 'application/json-seq'])(
    'the result of an HTTP tool is the text of a body of type %s',
    async (type) => {
      expect(await resultOf(answer(200, { 'content-type': type }, '{"ok":1}'))).toEqual({ text: '{"ok":1}' });
    },
  );

  test.each([
    ['text/plain; charset=iso-8859-1', Buffer.from('caf\u00e9', 'latin1')],
    ['text/plain; Charset="UTF-16LE"', Buffer.from('\ufeffcafé', 'utf16le')],
    ['text/csv; charset=windows-1252', Buffer.from('caf\u00e9', 'latin1')],
    ['text/plain; charset=utf-8', Buffer.from('\ufeffcafé')],
    ['text/plain; charset=no-such-charset', Buffer.from('café')],
    ['text/plain', Buffer.from('café')],
    ['application/octet-stream', Buffer.from('café')],
  ])('the result of an HTTP tool is the decoded text of a body of type %s', async (type, body) => {
    expect(await resultOf(answer(200, { 'content-type': type }, body))).toEqual({ text: 'café' });
  });

  test.each([
    ['application/json', Buffer.from('\ufeff{"name":"café"}')],
    ['application/json; charset=latin1', Buffer.from('{"name":"caf\u00e9"}', 'latin1')],
  ])('the result of an HTTP tool is the decoded JSON value of a body of type %s', async (type, body) => {
    expect(await resultOf(answer(200, { 'content-type': type }, body))).toEqual({ name: 'café' });
  });

  test.each([
    ['image/png', Buffer.from('\x89PNG\r\n\x1A\n', 'latin1')],
    ['application/pdf', Buffer.from('%PDF-1.7')],
    ['application/octet-stream', Buffer.from([0xff, 0x00, 0xfe])],
    ['Application/Vnd.ms-excel; x=y', Buffer.from('rows')],
  ])('the result of an HTTP tool is a stored file for the bytes of %s', async (type, body) => {
    const mediaType = (type.split(';')[0] ?? '').toLowerCase();
    expect(await resultOf(answer(200, { 'content-type': type }, body))).toEqual({
      file: expect.objectContaining({ mediaType, blob: expect.any(String) }),
      size: body.byteLength,
    });
  });

  test('the result of an HTTP tool is stored after a short outage of the database', async () => {
    server.answers(answer(200, { 'content-type': 'image/png' }, 'x'));
    let tries = 0;
    const file = { type: 'image', blob: 'B1', mediaType: 'image/png' } as const;
    const keepFile = async () => {
      tries += 1;
      if (tries === 1) throw new DatabaseAwayError('away');
      return await Promise.resolve(file);
    };
    expect(await aHttpTool(server.address).execute({}, aContext({ keepFile }))).toEqual({ file, size: 1 });
  });

  test('the result of an HTTP tool is refused as a file if it has more than 10 MiB', async () => {
    const body = Buffer.alloc(10 * 1_048_576 + 1);
    await expect(resultOf(answer(200, { 'content-type': 'image/png' }, body))).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      done: 'perhaps',
    });
  });

  test('an HTTP tool’s result keeps an integer of 19 digits where its schema wants a text, and is refused elsewhere', async () => {
    const found = answer(200, JSON_TYPE, '{"orders":[{"id":1234567890123456789}]}');
    server.answers(found, found);
    const result = { properties: { orders: { items: { properties: { id: { type: 'string' } } } } } };
    const tool = aHttpTool(server.address, { result });
    expect(await tool.execute({}, aContext())).toEqual({ orders: [{ id: '1234567890123456789' }] });
    await expect(aHttpTool(server.address).execute({}, aContext())).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
      done: 'perhaps',
      message: expect.stringMatching(/1234567890123456789 .*at \/orders\/0\/id/),
    });
  });

  test('the result of an HTTP tool is text where the server states no type', async () => {
    expect(await resultOf(answer(200, {}, 'ok'))).toEqual({ text: 'ok' });
  });

  test.each([
    [200, 'application/json'],
    [200, 'text/plain'],
    [204, 'application/json'],
  ])('the result of an HTTP tool is null for an empty %i of %s', async (status, type) => {
    expect(await resultOf(answer(status, { 'content-type': type }))).toBeNull();
  });

  test('the result of an HTTP tool is complete, however its characters are split into packets', async () => {
    const bytes = Buffer.from('"€"');
    const inTwo: Answer = (response) => {
      response.writeHead(200, JSON_TYPE);
      response.write(bytes.subarray(0, 2), () => response.end(bytes.subarray(2)));
    };
    expect(await resultOf(inTwo)).toBe('€');
  });

  test.each(['{"ok":', 'ok', '{"ok":1}}'])(
    'an HTTP tool’s result %s, which is declared as JSON but invalid, fails permanently',
    async (body) => {
      const failure = { code: 'TOOL_FAILED', retryable: false, done: 'perhaps' };
      await expect(resultOf(answer(200, JSON_TYPE, body))).rejects.toMatchObject(failure);
    },
  );

  test('an HTTP tool’s result that is nested too deeply fails permanently', async () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    await expect(resultOf(answer(200, JSON_TYPE, deep))).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: false,
    });
  });
});

describe('the limit of a result', () => {
  const tooLarge = { code: 'PAYLOAD_TOO_LARGE', retryable: false, done: 'perhaps' };
  const compressions = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const;

  test('the result of an HTTP tool may have a million bytes', async () => {
    const text = 'x'.repeat(MAX_BODY_BYTES);
    expect(await resultOf(answer(200, {}, text))).toEqual({ text });
  });

  test('an HTTP tool’s result of a million and one bytes is refused', async () => {
    await expect(resultOf(answer(200, {}, 'x'.repeat(MAX_BODY_BYTES + 1)))).rejects.toMatchObject(tooLarge);
  });

  test('the size limit of an HTTP tool’s result counts bytes, not characters', async () => {
    await expect(resultOf(answer(200, {}, '€'.repeat(MAX_BODY_BYTES / 2)))).rejects.toMatchObject(tooLarge);
  });

  test('the size limit of an HTTP tool’s result stops an endless answer', async () => {
    const { answer, left } = endlessText();
    await expect(resultOf(answer)).rejects.toMatchObject(tooLarge);
    await left;
  });

  test.each(compressions)('an HTTP tool’s result compressed with %s is decompressed', async (encoding, compress) => {
    const compressed = answer(200, { ...JSON_TYPE, 'content-encoding': encoding }, compress('{"ok":true}'));
    expect(await resultOf(compressed)).toEqual({ ok: true });
  });

  test('nested compressions of an HTTP tool’s result are decompressed, and unknown compressions are left as they are', async () => {
    const twice = { ...JSON_TYPE, 'content-encoding': 'gzip, BR' };
    expect(await resultOf(answer(200, twice, brotliCompressSync(gzipSync('{"ok":true}'))))).toEqual({ ok: true });
    expect(await resultOf(answer(200, { 'content-encoding': 'gzip, own' }, 'as it is'))).toEqual({ text: 'as it is' });
  });

  test.each(compressions)(
    'an HTTP tool’s result compressed with %s does not bypass the size limit',
    async (encoding, compress) => {
      const bomb = compress(Buffer.alloc(5 * MAX_BODY_BYTES));
      expect(bomb.byteLength).toBeLessThan(MAX_BODY_BYTES);
      await expect(resultOf(answer(200, { 'content-encoding': encoding }, bomb))).rejects.toMatchObject(tooLarge);
    },
  );
});

describe('a failure', () => {
  test.each([
    [302, { retryable: false, done: 'perhaps' }],
    [400, { retryable: false, done: 'no' }],
    [404, { retryable: false, done: 'no' }],
    [409, { retryable: false, done: 'no' }],
    [408, { retryable: true, done: 'no' }],
    [429, { retryable: true, done: 'no' }],
    [500, { retryable: true, done: 'perhaps' }],
    [503, { retryable: true, done: 'perhaps' }],
  ])('a failed HTTP tool call with status %i is %o', async (status, verdict) => {
    await expect(resultOf(json({ error: 'no' }, status))).rejects.toMatchObject({ code: 'TOOL_FAILED', ...verdict });
    expect(server.requests).toHaveLength(1);
  });

  test('the error of an HTTP tool contains the beginning of the server’s text', async () => {
    await expect(resultOf(answer(400, {}, 'No such order'))).rejects.toThrow(/^pay answered 400: No such order$/);
    const long = resultOf(answer(400, {}, 'x'.repeat(10_000)));
    await expect(long).rejects.toThrow(/^.{1000}$/);
  });

  test('the error of an HTTP tool contains the retry delay of the server', async () => {
    await expect(resultOf(answer(429, { 'retry-after': '7' }))).rejects.toMatchObject({ retryAfterMs: 7_000 });
  });

  test('an HTTP tool’s failure is classified by its status even if its text is too long to read', async () => {
    const failure = resultOf(answer(429, { 'retry-after': '7' }, 'x'.repeat(MAX_BODY_BYTES + 1)));
    await expect(failure).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: true,
      done: 'no',
      retryAfterMs: 7_000,
    });
  });

  test.each([
    ['before', hangUp],
    ['within', breakOff],
  ])('an HTTP tool call whose network fails %s the answer was possibly executed', async (_when, breaking) => {
    await expect(resultOf(breaking)).rejects.toMatchObject({ code: 'TOOL_FAILED', retryable: true, done: 'perhaps' });
  });

  test('an HTTP tool call that can not connect was not executed', async () => {
    const tool = aHttpTool(`127.0.0.1:${await closedPort()}`);
    await expect(tool.execute({}, aContext())).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      retryable: true,
      done: 'no',
    });
  });

  test.each(['127.0.0.1', 'localhost'])(
    'an HTTP tool at a blocked address, by %s, reports the blocked address',
    async (host) => {
      const tool = aHttpTool(server.address, { url: `http://${host}:${server.port + 1}/` });
      await expect(tool.execute({}, aContext())).rejects.toMatchObject({
        code: 'BLOCKED_URL',
        retryable: false,
        done: 'no',
      });
    },
  );
});
