import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { readAll } from '../../../support/readers/api-runs.ts';
import { at, textAt } from '../../../support/readers/json-at.ts';
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

const user = () => api.as('user');
const publish = async (name: string, ...texts: readonly string[]): Promise<void> => {
  for (const text of texts) await user().post('/api/graphs', aVersion(name, text));
};
const unpublish = async (name: string, version: number) =>
  await user().send(`/api/graphs/${name}/versions/${version}`, { method: 'DELETE' });
const setAlias = async (path: string, body: object, by: 'user' | 'approver' | 'otherTenantUser' = 'user') =>
  await api.as(by).send(`/api/graphs/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const start = async (graph: unknown) => await user().post('/api/runs', { graph });

function aVersion(name: string, text: string): GraphDefinition {
  return aDefinition({ name, nodes: { a: { type: 'set', write: { log: text } } } });
}

describe('the versions of a graph', () => {
  test('the versions of a graph are listed, newest first, whatever the page size', async () => {
    await publish('listed', 'one', 'two', 'three');
    const versions = await readAll(user(), '/api/graphs/listed/versions', 2);
    expect(versions.map((version) => at(version, '/version'))).toEqual([3, 2, 1]);
  });

  test('two versions of a graph are compared by the API', async () => {
    await publish('compared', 'one', 'two');
    expect(await user().get('/api/graphs/compared/diff?from=1&to=2')).toMatchObject({
      status: 200,
      body: {
        changes: [{ kind: 'changed', path: '/nodes/a/write', before: { log: 'one' }, after: { log: 'two' } }],
      },
    });
    expect(issuePathsOf(await user().get('/api/graphs/compared/diff?from=1'))).toEqual(['/to']);
    expect(await user().get('/api/graphs/compared/diff?from=1&to=3')).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });
});

describe('an unpublished version', () => {
  test('an unpublished graph version gets no new runs, and the newest published one becomes the default', async () => {
    await publish('back', 'one', 'two');
    const { body: begun } = await start('back');
    expect((await unpublish('back', 2)).status).toBe(204);
    expect((await unpublish('back', 2)).status).toBe(204);
    expect(await start('back@2')).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    expect(await start('back')).toMatchObject({ status: 201, body: { graph: { version: 1 } } });
    expect(await user().get('/api/graphs/back')).toMatchObject({ body: { version: 1 } });
    expect(await user().get('/api/graphs/back/versions/2')).toMatchObject({ body: { unpublished: { by: 'uma' } } });
    expect(await user().get(`/api/runs/${textAt(begun, '/id')}`)).toMatchObject({ body: { graph: { version: 2 } } });
  });

  test('an unpublished graph version is published again with the same content, and its number is not reused', async () => {
    await publish('again', 'one', 'two');
    await unpublish('again', 2);
    expect(await user().post('/api/graphs', aVersion('again', 'three'))).toMatchObject({ body: { version: 3 } });
    expect(await user().post('/api/graphs', aVersion('again', 'two'))).toMatchObject({
      status: 200,
      body: { version: 2, unpublished: null },
    });
    expect(await start('again@2')).toMatchObject({ status: 201 });
  });

  test('a graph without a published version is not listed', async () => {
    await publish('alone', 'one');
    await unpublish('alone', 1);
    expect(await start('alone')).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    const names = (await readAll(user(), '/api/graphs', 100)).map((graph) => at(graph, '/name'));
    expect(names).not.toContain('alone');
  });

  test('an unpublished graph version stays in graphs that were published with it, and no new graph may reference it', async () => {
    await publish('inner', 'one');
    const outer = (text: string) => ({
      ...aDefinition({ name: 'outer', nodes: { a: { type: 'subgraph', graph: 'inner' } } }),
      description: text,
    });
    const first = await user().post('/api/graphs', outer('one'));
    await unpublish('inner', 1);
    expect([first.status, (await start('outer')).status]).toEqual([201, 201]);
    expect(await user().post('/api/graphs', outer('two'))).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
  });

  test('a graph version is unpublished by its own tenant, with the permission to publish', async () => {
    await publish('mine', 'one');
    const path = '/api/graphs/mine/versions/1';
    expect(await api.as('approver').send(path, { method: 'DELETE' })).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(await api.as('otherTenantUser').send(path, { method: 'DELETE' })).toMatchObject(aProblem(404, 'NOT_FOUND'));
    expect((await start('mine@1')).status).toBe(201);
  });
});

describe('an alias', () => {
  test('a graph alias selects a version for runs, and records who has set it', async () => {
    await publish('named', 'one', 'two');
    expect(await setAlias('named/aliases/live', { version: 1 })).toMatchObject({
      status: 201,
      body: { name: 'named', alias: 'live', version: 1, canary: null, by: 'uma' },
    });
    expect(await start('named@live')).toMatchObject({ status: 201, body: { graph: { version: 1 } } });
    expect(await setAlias('named/aliases/live', { version: 2 })).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await start('named@live')).toMatchObject({ body: { graph: { version: 2 } } });
    expect(await user().get('/api/graphs/named/aliases')).toMatchObject({ body: { items: [{ alias: 'live' }] } });
  });

  test('a graph alias gives runs to its canary, and none to an unpublished version', async () => {
    await publish('canary', 'one', 'two');
    await setAlias('canary/aliases/live', { version: 1, canary: { version: 2, share: 1 } });
    expect(await start('canary@live')).toMatchObject({ body: { graph: { version: 2 } } });
    await unpublish('canary', 2);
    expect(await start('canary@live')).toMatchObject({ body: { graph: { version: 1 } } });
    await unpublish('canary', 1);
    expect(await start('canary@live')).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
  });

  test.each([
    ['1st', { version: 1 }, 422],
    ['live', { version: 2 }, 404],
    ['live', { version: 1, canary: { version: 1, share: 1.5 } }, 422],
    ['live', { version: 1, canary: { version: 9, share: 0.5 } }, 404],
  ])('the alias %s with the target %j is refused with %i', async (alias, body, status) => {
    await publish('refused', 'one');
    expect(await setAlias(`refused/aliases/${alias}`, body)).toMatchObject({ status });
    expect(await start(`refused@${alias}`)).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
  });

  test('a graph alias belongs to its tenant, requires the permission to publish, and can be removed', async () => {
    await publish('owned', 'one');
    const path = 'owned/aliases/live';
    expect(await setAlias(path, { version: 1 }, 'approver')).toMatchObject(aProblem(403, 'FORBIDDEN'));
    expect(await setAlias(path, { version: 1 }, 'otherTenantUser')).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    await setAlias(path, { version: 1 });
    const other = await api.as('otherTenantUser').get(`/api/graphs/${path}`);
    expect(other).toMatchObject(aProblem(404, 'NOT_FOUND'));
    await api.as('otherTenantUser').send(`/api/graphs/${path}`, { method: 'DELETE' });
    expect((await user().get(`/api/graphs/${path}`)).status).toBe(200);
    expect((await user().send(`/api/graphs/${path}`, { method: 'DELETE' })).status).toBe(204);
    expect(await start('owned@live')).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
  });
});
