import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { describedOperations } from '../../../support/readers/described-operations.ts';
import type { DescribedOperation } from '../../../support/readers/described-operations.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let document: Json;
beforeAll(async () => {
  api = await startTestApi();
  document = (await api.stranger.get('/openapi.json')).body;
});
afterAll(async () => {
  await api.stop();
});

/** Every operation of the description; `1` and `x` are used as ids. */
function operations(): readonly DescribedOperation[] {
  return describedOperations(document).map(({ method, path, described }) => ({
    method: method.toUpperCase(),
    path: path.replace('{version}', '1').replaceAll(/\{\w+\}/g, 'x'),
    described,
  }));
}

describe('strict parsing of a query', () => {
  test.each(['nonsense=1', 'constructor=1', '__proto__=1', 'nonsense'])(
    'a query with the unknown parameter %s is refused by every API route',
    async (query) => {
      expect(operations().length).toBeGreaterThan(30);
      for (const { method, path } of operations()) {
        const headers = { 'if-match': '*' };
        const answer = await api.as('admin').send(`${path}?${query}`, { method, headers });
        expect([method, path, answer.status]).toEqual([method, path, 422]);
      }
    },
  );

  test('an unknown query parameter is named in the problem document', async () => {
    const answer = await api.as('user').get('/api/runs?state=failed');
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual(['/state']);
  });

  test.each(['limit=1&limit=1', 'status=failed&status=failed', 'cursor=a&cursor=b', 'threadId=a&threadId=a'])(
    'an API query with a repeated parameter is refused: %s',
    async (query) => {
      expect(await api.as('user').get(`/api/runs?${query}`)).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    },
  );

  test.each(['%201', '1%20', '+1', '1e1', '0x1', '1.0', '01', '0', '-1', '', '201', '1'.repeat(400), '%D9%A1'])(
    'an API query with limit=%s is refused',
    async (limit) => {
      expect(await api.as('user').get(`/api/runs?limit=${limit}`)).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    },
  );

  test('an API query may request 200 entries', async () => {
    expect(await api.as('user').get('/api/runs?limit=200')).toMatchObject({ status: 200 });
  });
});

describe('a version in a path', () => {
  test.each(['1%20', '%201', '01', '1e0', '+1', '0', '1.0', '%D9%A1'])(
    'the path segment %s is no version of a graph',
    async (version) => {
      const { name } = aDefinition();
      await api.as('user').post('/api/graphs', aDefinition());
      expect(await api.as('user').get(`/api/graphs/${name}/versions/${version}`)).toMatchObject({ status: 422 });
      expect(await api.as('user').get(`/api/graphs/${name}/versions/1`)).toMatchObject({ status: 200 });
    },
  );
});

describe('the name "validate"', () => {
  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT'])(
    'the path /api/graphs/validate names no graph for %s',
    async (method) => {
      const headers = { authorization: `Bearer ${api.tokens.user}` };
      const response = await api.request('/api/graphs/validate', { method, headers });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    },
  );

  test('no graph may have the name "validate", which is a route', async () => {
    const answer = await api.as('user').post('/api/graphs', { ...aDefinition(), name: 'validate' });
    expect(answer).toMatchObject({ status: 422, body: { issues: [{ code: 'RESERVED_NAME', path: '/name' }] } });
  });
});

describe('the order of refusals of an edit', () => {
  const path = '/api/runs/none/state';
  const send = async (caller: 'user' | 'approver' | null, headers: Record<string, string>, body = '{}') => {
    const client = caller === null ? api.stranger : api.as(caller);
    return (await client.send(path, { method: 'PATCH', headers, body })).status;
  };

  test('an edit of a run is checked in the order token, role, precondition, type, body, shape, run', async () => {
    const type = { 'content-type': 'application/json' };
    const good = { ...type, 'if-match': '"a"' };
    expect([
      await send(null, {}, '{'),
      await send('approver', {}, '{'),
      await send('user', { 'content-type': 'text/plain' }, '{'),
      await send('user', { ...type, 'if-match': ' ' }, '{}'),
      await send('user', { 'content-type': 'text/plain', 'if-match': '"a"' }, '{'),
      await send('user', good, '{'),
      await send('user', good, '{"x":1}'),
      await send('user', good, '{"values":{}}'),
    ]).toEqual([401, 403, 428, 428, 415, 400, 422, 404]);
  });
});

describe('an absent body', () => {
  test('a request without a body is accepted exactly where the description requires none', async () => {
    // Signed requests are checked for a signature before a token.
    const posts = operations().filter(
      ({ described }) => at(described, '/requestBody') !== undefined && listAt(described, '/security').length > 0,
    );
    expect(posts.length).toBeGreaterThan(10);
    for (const { method, path, described } of posts) {
      const isNeeded = at(described, '/requestBody/required') === true;
      const headers = { 'if-match': '*' };
      const { status } = await api.as('admin').send(path, { method, headers });
      expect([method, path, status === 422]).toEqual([method, path, isNeeded]);
    }
  });

  test('a prune request without a body prunes nothing', async () => {
    expect(await api.as('admin').send('/admin/prune', { method: 'POST' })).toMatchObject({ status: 422 });
    expect(await api.as('admin').post('/admin/prune', {})).toMatchObject({ status: 422 });
    expect(await api.as('admin').post('/admin/prune', { dryRun: true })).toMatchObject({ status: 200 });
  });
});

describe('a cursor', () => {
  const position = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  test('a forged pagination cursor is refused', async () => {
    await api.as('user').post('/api/runs', { graph: aDefinition() });
    await api.as('user').post('/api/runs', { graph: aDefinition() });
    const { body } = await api.as('user').get('/api/runs?limit=1');
    const cursor = textAt(body, '/nextCursor');
    const [content = '', signature = ''] = cursor.split('.');
    const forged = [
      '0',
      '.',
      `${content}.`,
      `${content}.${signature}.x`,
      `${content}.${signature}=`,
      `${position({ at: '', id: "'" })}.${signature}`,
      `${content}.${signature.split('').toReversed().join('')}`,
    ];
    for (const one of forged)
      expect(await api.as('user').get(`/api/runs?cursor=${encodeURIComponent(one)}`)).toMatchObject(
        aProblem(400, 'INVALID_CURSOR'),
      );
    const elsewhere = ['/api/approvals', '/api/graphs', '/api/interventions', '/api/runs?status=failed&'];
    for (const path of elsewhere)
      expect(await api.as('user').get(`${path}${path.includes('?') ? '' : '?'}cursor=${cursor}`)).toMatchObject({
        status: 400,
      });
    expect(await api.as('otherTenantUser').get(`/api/runs?cursor=${cursor}`)).toMatchObject({ status: 400 });
    expect(await api.as('user').get(`/api/runs?cursor=${cursor}`)).toMatchObject({ status: 200 });
  });
});

describe('security of every answer', () => {
  test.each(['/api/runs', '/healthz', '/openapi.json', '/nothing', '/schemas/graph-definition.json', '/docs'])(
    'the security headers of %s keep browsers from sniffing, framing and loading',
    async (path) => {
      const { headers } = await api.stranger.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
    },
  );

  test('the API’s documentation page runs its own scripts only, and stores no token', async () => {
    const page = await (await api.request('/docs')).text();
    expect(page).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
    const { headers } = await api.stranger.get('/docs');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await (await api.request('/docs/start.js')).text()).not.toContain('persistAuthorization');
  });

  test('API answers contain paths only, whatever host a proxy or a client claims', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      forwarded: 'host=evil.example',
    };
    const answer = await api.as('user').post('/api/runs', { graph: aDefinition() }, headers);
    expect(answer.headers.get('location')).toBe(`/api/runs/${textAt(answer.body, '/id')}`);
    expect(JSON.stringify(answer.body)).not.toContain('evil');
  });
});

describe('the description of requests', () => {
  const schema = (pointer: string): Json | undefined => at(document, `/components/schemas${pointer}`);

  test('the OpenAPI description marks what may be null', () => {
    const orNull = (name: string) => ({ anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }] });
    expect(schema('/Run/properties/divergence/properties/expected')).toEqual(orNull('Event'));
    expect(schema('/Run/properties/divergence/properties/actual')).toEqual(orNull('Event'));
    expect(schema('/Run/properties/error')).toEqual(orNull('RunError'));
    expect(schema('/RunError')).toMatchObject({ type: 'object' });
  });

  test('the OpenAPI description names the format of durations', () => {
    expect(schema('/NewRun/properties/limits/properties/deadline')).toMatchObject({ pattern: expect.any(String) });
    expect(schema('/Retry/properties/limits/properties/deadline')).toMatchObject({ pattern: expect.any(String) });
    expect(schema('/StateEdit/properties/asNode')).toMatchObject({ minLength: 1 });
  });

  test('the OpenAPI description contains the schema of graph definitions where one is accepted', () => {
    const body = '/requestBody/content/application~1json/schema';
    expect(schema('/GraphDefinition')).toMatchObject({ required: ['name', 'nodes', 'edges'] });
    expect(JSON.stringify(at(document, `/paths/~1api~1graphs/post${body}`))).toContain('schemas/GraphDefinition"');
    for (const name of ['NewRun', 'Fork', 'Replay'])
      expect(JSON.stringify(schema(`/${name}/properties/graph`))).toContain('schemas/GraphDefinition"');
    expect(at(document, `/paths/~1api~1graphs~1validate/post${body}`)).toMatchObject({ type: 'object' });
  });

  test('the OpenAPI description requires If-Match for an edit', () => {
    const parameters = listAt(document, '/paths/~1api~1runs~1{id}~1state/patch/parameters');
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'if-match', in: 'header', required: true }));
  });
});
