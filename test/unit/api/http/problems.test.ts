import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import type { ApiAnswer, ApiClient } from '../../../support/readers/api-client.ts';
import { readDescription } from '../../../support/readers/api-description.ts';
import type { ApiDescription } from '../../../support/readers/api-description.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
import { readMountedRoutes } from '../../../support/readers/mounted-routes.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let description: ApiDescription;
let admin: ApiClient;
beforeAll(async () => {
  api = await startTestApi();
  description = await readDescription(api.stranger);
  admin = description.watch(api.as('admin'));
});
afterAll(async () => {
  await api.stop();
});

/** The caller has all permissions here, because these refusals do not depend on permissions. */
async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<ApiAnswer> {
  return await admin.send(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

/** No answer may contain file paths or code. */
function expectNothingInternal({ body }: ApiAnswer): void {
  const text = JSON.stringify(body);
  for (const part of [process.cwd(), tmpdir(), 'node_modules', '.ts:', '.js:', '    at ', 'select "'])
    expect(text).not.toContain(part);
}

const UNKNOWN_ID = '01JZZZZZZZZZZZZZZZZZZZZZZZ';

describe('a JSON body', () => {
  test.each([
    '',
    '{',
    '{"graph":}',
    '{"graph":"a",}',
    "{'graph':'a'}",
    '{"graph":"a"}{}',
    'graph',
    'NaN',
    '{"graph":"\n"}',
  ])('a request body of %j is refused as invalid JSON', async (body) => {
    const answer = await post('/api/runs', body);
    expect(answer).toMatchObject(aProblem(400, 'MALFORMED_JSON'));
    expect(textAt(answer.body, '/instance')).toBe('/api/runs');
    expectNothingInternal(answer);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/jsonp',
    'json',
    'multipart/form-data; boundary=x',
  ])('a request body of type %s is refused', async (type) =>
    expect(await post('/api/runs', '{}', { 'content-type': type })).toMatchObject(
      aProblem(415, 'UNSUPPORTED_MEDIA_TYPE'),
    ),
  );

  test('a request body without a content type is refused', async () => {
    const body = new TextEncoder().encode('{}');
    expect(await admin.send('/api/runs', { method: 'POST', body })).toMatchObject(
      aProblem(415, 'UNSUPPORTED_MEDIA_TYPE'),
    );
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    'a request body of type %s is accepted',
    async (type) => {
      expect(await post('/api/graphs/validate', JSON.stringify(aDefinition()), { 'content-type': type })).toMatchObject(
        { status: 200 },
      );
    },
  );

  test.each([
    ['cancel', aProblem(404, 'UNKNOWN_RUN')],
    ['skip', aProblem(422, 'INVALID_REQUEST')],
  ])('a missing request body is an empty one: POST …/%s', async (name, expected) => {
    const path = `/api/runs/${UNKNOWN_ID}/${name}`;
    expect(await admin.send(path, { method: 'POST' })).toMatchObject(expected);
  });

  test.each(['null', '[]', '"graph"', '7', 'true'])(
    'a request body of %s is refused because it is no object',
    async (body) => {
      const answer = await post('/api/runs', body);
      expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
      expect(issuePathsOf(answer)).toEqual(['']);
    },
  );

  const strict: readonly [string, object][] = [
    ['/api/runs', { graph: 'a' }],
    [`/api/runs/${UNKNOWN_ID}/cancel`, {}],
    [`/api/runs/${UNKNOWN_ID}/retry`, {}],
    [`/api/runs/${UNKNOWN_ID}/skip`, { output: 1 }],
    [`/api/runs/${UNKNOWN_ID}/fail`, {}],
    [`/api/runs/${UNKNOWN_ID}/approve`, {}],
    [`/api/runs/${UNKNOWN_ID}/reject`, {}],
    ['/api/approvals/none/decision', { decision: 'approve' }],
  ];
  test.each(strict)('a request body of POST %s may contain no unknown field', async (path, body) => {
    const answer = await admin.post(path, { ...body, 'a/b~c': 1 });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual(['/a~1b~0c']);
  });
});

describe('the size of a body', () => {
  const padded = (size: number): string =>
    `{"graph":"none","metadata":{"pad":"${'x'.repeat(size - 40)}"}}`.padEnd(size);
  const MIB = 1_048_576;

  test.each([
    ['/api/runs', MIB, 404],
    ['/api/runs', MIB + 1, 413],
    ['/api/runs/none/cancel', MIB + 1, 413],
    ['/api/approvals/none/decision', MIB + 1, 413],
    ['/api/graphs/validate', 4 * MIB, 200],
    ['/api/graphs/validate', 4 * MIB + 1, 413],
    ['/api/graphs', 4 * MIB + 1, 413],
  ])('POST %s with a body of %i bytes is answered with status %i', async (path, size, status) => {
    expect(await post(path, padded(size))).toMatchObject({ status });
  });

  test('the size of a request body is counted as it arrives, whatever its header announces', async () => {
    const chunks = [padded(MIB), ' '].map((text) => new TextEncoder().encode(text));
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    } as const;
    expect(await admin.send('/api/runs', init)).toMatchObject(aProblem(413, 'BODY_TOO_LARGE'));
  });
});

describe('the depth of a body', () => {
  const nested = (levels: number): string =>
    `{"graph":"none","metadata":{"a":${'['.repeat(levels - 2)}1${']'.repeat(levels - 2)}}}`;

  test('a JSON body of 100 levels is accepted', async () => {
    expect(await post('/api/runs', nested(100))).toMatchObject({ status: 404 });
  });

  test.each([101, 150, 10_000, 400_000])('a JSON body of %i levels is refused', async (levels) => {
    const answer = await post('/api/runs', nested(levels));
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toHaveLength(1);
    expectNothingInternal(answer);
  });
});

describe('a route', () => {
  test.each([
    '/nothing',
    '/api',
    '/api/nothing/here',
    '/api/runs/',
    '/api/runs/x/nothing',
    '/API/RUNS',
    '/docs/..%2f.env',
    '/docs/secret.js',
  ])('the path %s does not exist in the API', async (path) => {
    const answer = await admin.get(path);
    expect(answer).toMatchObject(aProblem(404, 'NOT_FOUND'));
    expectNothingInternal(answer);
  });

  test.each([
    ['PUT', '/api/runs', ['GET', 'HEAD', 'POST']],
    ['DELETE', '/api/graphs', ['GET', 'HEAD', 'POST']],
    ['OPTIONS', '/api/runs', ['GET', 'HEAD', 'POST']],
    ['PATCH', `/api/runs/${UNKNOWN_ID}`, ['GET', 'HEAD']],
    ['GET', `/api/runs/${UNKNOWN_ID}/cancel`, ['POST']],
    ['GET', '/api/approvals/none/decision', ['POST']],
    ['POST', '/api/approvals', ['GET', 'HEAD']],
    ['POST', '/healthz', ['GET', 'HEAD']],
    ['DELETE', '/openapi.json', ['GET', 'HEAD']],
  ])('the method of %s %s is refused, and the allowed methods are named', async (method, path, allowed) => {
    const answer = await admin.send(path, { method });
    expect(answer).toMatchObject(aProblem(405, 'METHOD_NOT_ALLOWED'));
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed);
  });

  test.each([
    ['/api/runs', 200],
    ['/healthz', 200],
    ['/api/runs/none', 404],
    ['/nothing', 404],
    ['/api/runs/none/cancel', 405],
  ])('HEAD %s has the same status as GET, %i, and no body', async (path, status) => {
    const headers = { authorization: `Bearer ${api.tokens.admin}` };
    const response = await api.request(path, { method: 'HEAD', headers });
    expect({ status: response.status, text: await response.text() }).toEqual({ status, text: '' });
  });
});

describe('an unusual name', () => {
  const NAMES = [
    '%00',
    'a%00b',
    '%E0%A4%A',
    '%FF',
    '%ED%A0%80',
    '..%2f..%2f',
    "'%20or%20'1'='1",
    'n'.repeat(8_000),
    '%F0%9F%98%80',
    '__proto__',
    'constructor',
    '%0d%0a',
  ];
  const places: readonly [string, string][] = NAMES.flatMap((name): [string, string][] => [
    ['GET', `/api/runs/${name}`],
    ['GET', `/api/runs/${name}/state`],
    ['GET', `/api/runs/${name}/history`],
    ['POST', `/api/runs/${name}/cancel`],
    ['POST', `/api/runs/${name}/approve`],
    ['GET', `/api/graphs/${name}`],
    ['GET', `/api/graphs/${name}/versions/1`],
    ['GET', `/api/approvals/${name}`],
  ]);

  test.each(NAMES)('the unusual name %s in a path is answered with 404', async (name) => {
    const asked = places.filter(([, path]) => path.includes(`/${name}`));
    const answers = asked.map(
      async ([method, path]) =>
        [path, (await (method === 'GET' ? admin.get(path) : admin.post(path, {}))).body] as const,
    );
    const notFound = (await Promise.all(answers)).filter(([, body]) => at(body, '/status') !== 404);
    expect(notFound).toEqual([]);
  });

  test.each([
    '/api/runs?graph=%00',
    '/api/runs?graph=%ED%A0%80',
    '/api/runs?createdAfter=0000-01-01T00:00:00Z',
    ...[
      '/api/runs?createdAfter=',
      '/api/runs?createdBefore=',
      '/api/approvals?dueBefore=',
      '/admin/audit?from=',
      '/admin/audit?to=',
    ].map((query) => `${query}9999-12-31T23:59:59-23:59`),
    '/api/runs?cursor=%00',
    '/api/runs?limit=1e1000',
    '/api/runs?limit=%00',
    '/api/runs?__proto__=1&constructor=2',
    '/api/approvals?runId=%00',
    `/api/graphs/a/versions/${'9'.repeat(400)}`,
    '/api/graphs/a/versions/2147483648',
  ])('the unusual query of GET %s causes no server error', async (path) => {
    expect((await admin.get(path)).status).toBeLessThan(500);
  });

  test.each(['a\u0000', '\uD800'])('a graph with the unusual name %j is unknown', async (graph) => {
    expect(await admin.post('/api/runs', { graph })).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
  });

  test('an approval with an unusual name is answered as unknown, in a path and in a body', async () => {
    const { body } = await api.as('user').post('/api/runs', { graph: aDefinition() });
    const answer = await admin.post(`/api/runs/${textAt(body, '/id')}/approve`, { approvalId: 'a\u0000\uD800' });
    expect(answer).toMatchObject(aProblem(404, 'UNKNOWN_APPROVAL'));
  });
});

describe('the description at /openapi.json', () => {
  let document: Json;
  beforeAll(async () => {
    document = (await api.stranger.get('/openapi.json')).body;
  });

  test('the served description is OpenAPI 3.1', () => {
    expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: { title: 'Holdfast' } });
  });

  test('the OpenAPI description has every route', async () => {
    const isOwn = (route: string): boolean =>
      !/ \/(?:$|favicon\.ico|docs|openapi\.json|console(?:$|\/(?:\*|assets|icon\.svg)))/.test(route);
    const mounted = (await readMountedRoutes()).filter(isOwn);
    expect([...description.routes].toSorted()).toEqual(mounted.toSorted());
  });

  test('the OpenAPI description has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer);
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((pointer) => at(document, pointer) === undefined)).toEqual([]);
  });

  test('the OpenAPI description declares problems as problem documents', () => {
    const schema = at(document, '/paths/~1api~1runs/post/responses/422/content/application~1problem+json/schema');
    expect(schema).toEqual({ $ref: '#/components/schemas/Problem' });
    const required = ['code', 'detail', 'instance', 'status', 'title', 'type'];
    expect(at(document, '/components/schemas/Problem')).toMatchObject({ required: expect.arrayContaining(required) });
  });

  test('the OpenAPI description has every status that the tests above have received', () => {
    expect(description.notDescribed()).toEqual([]);
  });

  test.each(['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])(
    'the OpenAPI description can be browsed: %s is served',
    async (path) => {
      expect(await api.stranger.get(path)).toMatchObject({ status: 200 });
    },
  );
});
