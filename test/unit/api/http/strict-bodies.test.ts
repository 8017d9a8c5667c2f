import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDefinition } from '../../../support/builders/builders.ts';
import type { ApiAnswer } from '../../../support/readers/api-client.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api.stop();
});

type Headers = Readonly<Record<string, string>>;

async function post(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Headers = {}): Promise<ApiAnswer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  return await api.as('admin').send(path, init);
}

const DEFINITION = JSON.stringify(aDefinition());
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );

describe('strict parsing of a body', () => {
  test.each([
    'application/vnd.holdfast+json',
    'application/json-patch+json',
    'application/merge-patch+json',
    'text/json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; charset=utf-7',
    'application/json; charset=""',
    'application/json; charset',
    'application/json; charset=utf-8; charset=latin1',
    'application/json, text/plain',
  ])('a request body of the type %s is refused', async (type) => {
    const answer = await post('/api/graphs/validate', DEFINITION, { 'content-type': type });
    expect(answer).toMatchObject(aProblem(415, 'UNSUPPORTED_MEDIA_TYPE'));
  });

  test.each([
    'application/json',
    'application/json;',
    'application/json; charset=UTF-8',
    'APPLICATION/JSON ; Charset="utf-8"',
    'application/json; profile=x',
  ])('a request body of the type %s is accepted', async (type) => {
    expect(await post('/api/graphs/validate', DEFINITION, { 'content-type': type })).toMatchObject({ status: 200 });
  });

  test.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x', ''])(
    'a request body in the encoding "%s" is refused',
    async (coding) => {
      const answer = await post('/api/graphs/validate', DEFINITION, { 'content-encoding': coding });
      expect(answer).toMatchObject(aProblem(415, 'UNSUPPORTED_MEDIA_TYPE', { 'accept-encoding': /^identity$/ }));
    },
  );

  test('a request body in the encoding identity is accepted', async () => {
    const answer = await post('/api/graphs/validate', DEFINITION, { 'content-encoding': 'Identity' });
    expect(answer).toMatchObject({ status: 200 });
  });

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['an invalid byte', bytes('{"name":"', [0xff], '"}')],
    ['an overlong slash', bytes('{"name":"', [0xc0, 0xaf], '"}')],
    ['an overlong NUL', bytes('{"name":"', [0xc0, 0x80], '"}')],
    ['half a character', bytes('{"name":"', [0xe2, 0x82], '"}')],
    ['a surrogate', bytes('{"name":"', [0xed, 0xa0, 0x80], '"}')],
    ['UTF-16', new Uint8Array(Buffer.from(`\uFEFF${DEFINITION}`, 'utf16le'))],
    ['a NUL', bytes('{"name":"a', [0], '"}')],
    ['a NUL after the end', bytes(DEFINITION, [0])],
  ])('a request body with %s is refused', async (_what, body) => {
    expect(await post('/api/graphs/validate', body)).toMatchObject(aProblem(400, 'MALFORMED_JSON'));
  });

  test('a byte order mark before a request body is ignored', async () => {
    const answer = await post('/api/graphs/validate', bytes([0xef, 0xbb, 0xbf], DEFINITION));
    expect(answer).toMatchObject({ status: 200, body: { valid: true } });
  });

  test.each([
    ['1234567890123456789', '/input/n'],
    ['[{"a":[-9007199254740993]}]', '/input/n/0/a/0'],
    ['12345678901234567890.5', '/input/n'],
  ])(
    'a request body with the integer %s, which a double does not keep, is refused, and the path is named',
    async (number, path) => {
      const answer = await post('/api/runs', `{"graph":"none","input":{"n":${number}}}`);
      expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
      expect(issuePathsOf(answer)).toEqual([path]);
    },
  );

  test.each([
    ['1e999', '/input/n'],
    ['-1e400', '/input/n'],
    ['9'.repeat(400), '/input/n'],
    ['[1, {"a/b": 1e999}]', '/input/n/1/a~1b'],
  ])('a request body with the number %s is refused, and the path is named', async (number, path) => {
    const answer = await post('/api/runs', `{"graph":"none","input":{"n":${number}}}`);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual([path]);
  });

  test.each([
    ['{"graph":"a","graph":"b"}', '/graph'],
    ['{"graph":"a","input":{"x":1,"y":{},"x":2}}', '/input/x'],
    ['{"graph":"a","input":{"l":[{"x":1},{"x":1,"\\u0078":2}]}}', '/input/l/1/x'],
    [String.raw`{"graph":"a","input":{"\"":"\\","\"":1}}`, '/input/"'],
    ['{"graph":"a","input":{"__proto__":1,"__proto__":2}}', '/input/__proto__'],
    ['{"graph":"a","input":{"":1,"":2}}', '/input/'],
  ])('a request body with a repeated member is refused, and the path is named: %s', async (body, path) => {
    const answer = await post('/api/runs', body);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual([path]);
  });

  test('a request body may have members of the same name in several objects, and repeated values', async () => {
    const body = '{"graph":"none","input":{"x":{"x":"x"},"l":["x","x",{"x":1},{"x":1},"{\\"x\\":1,\\"x\\":2}"]}}';
    expect(await post('/api/runs', body)).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
  });

  test('a member __proto__ of a request body changes nothing but itself', async () => {
    const answer = await post('/api/runs', '{"graph":"none","__proto__":{"input":1},"input":{"__proto__":{"a":1}}}');
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual(['/__proto__']);
    expect('a' in {}).toBe(false);
  });
});
