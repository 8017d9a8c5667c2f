import { beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../support/readers/api-client.ts';
import { aProblem } from '../support/readers/problems.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';

const { start } = useNpmStart();
let baseUrl: string;
beforeAll(async () => {
  baseUrl = (await start()).ready.baseUrl;
}, 120_000);

const ask = async (path: string) => await fetch(`${baseUrl}${path}`, { redirect: 'manual' });

describe('the files of the console', () => {
  test('each address of the console has a page, which browsers revalidate each time', async () => {
    for (const path of ['/console/', '/console/inbox', '/console/runs/some/thing']) {
      const answer = await ask(path);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(await answer.text()).toContain('<div id="app">');
    }
    const { status, headers } = await ask('/console');
    expect([status, headers.get('location')]).toEqual([302, '/console/']);
  });

  test('console files with a hash in their names are cached forever', async () => {
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await (await ask('/console/')).text())?.[1] ?? '';
    const answer = await ask(script);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).toMatch(/javascript/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-encoding')).toMatch(/^(?:br|gzip)$/);
    expect((await answer.text()).length).toBeGreaterThan(1_000);
  });

  test.each([
    '/console/assets/none.js',
    `/console/assets/${encodeURIComponent('../../index.html')}`,
    '/console/assets/%2e%2e/%2e%2e/vite.config.ts',
  ])('the console does not serve the file %s', async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  test('pages of the console run only their own scripts, load nothing from other origins, and cannot be framed', async () => {
    const answer = await ask('/console/inbox');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(await answer.text()).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
  });
});

describe('a local code', () => {
  const post = async (body: unknown) => await createApiClient(baseUrl, null).post('/console/local-sign-in', body);

  test('an unknown sign-in code of a local stack is not found', async () => {
    expect(await post({ code: 'nothing' })).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });

  test.each([[{}], [{ code: 1 }], [{ code: 'x', more: 1 }], [{ code: 'x'.repeat(2_001) }]])(
    'a sign-in at a local stack with the body %j is refused',
    async (body) => {
      expect(await post(body)).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    },
  );
});
