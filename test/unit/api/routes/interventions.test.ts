import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewRun } from '../../../../src/store/accept-run.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { AT, aBatch, aNewRun, anIntervention, aView, writeTo } from '../../../support/builders/store-builders.ts';
import { at, listAt, textAt } from '../../../support/readers/json-at.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await addRun({ id: 'A', tenantId: 'demo', createdAt: '2026-01-01T00:00:00Z' }, ['a1']);
  await addRun({ id: 'B', tenantId: 'demo', createdAt: '2026-01-02T00:00:00Z' }, ['b1', 'b2', 'b3']);
  await addRun({ id: 'C', tenantId: 'demo', createdAt: '2026-01-03T00:00:00Z' }, []);
  await addRun({ id: 'D', tenantId: 'other', createdAt: '2026-01-04T00:00:00Z' }, ['d1']);
});
afterAll(async () => {
  await api.stop();
});

async function addRun(run: Pick<NewRun, 'id' | 'tenantId' | 'createdAt'>, ids: readonly string[]): Promise<void> {
  await api.store.runs.create(aNewRun(run));
  const asked = { kind: 'event', node: 'w', id: 'go', since: AT } as const;
  const view = aView({ status: 'waiting', waitingFor: [asked, ...ids.map(anIntervention)] });
  await writeTo(api.store, run, aBatch([1], { view }));
}

async function pagesOf(caller: 'user' | 'approver' | 'otherTenantUser' | 'admin', limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor = ''; ;) {
    const { body } = await api.as(caller).get(`/api/interventions?limit=${limit}${cursor}`);
    pages.push(listAt(body, '/items').map((item: Json) => `${textAt(item, '/runId')} ${textAt(item, '/id')}`));
    const next = at(body, '/nextCursor');
    if (typeof next !== 'string') return pages;
    cursor = `&cursor=${next}`;
  }
}

test('interventions are listed page by page, those of the newest run first', async () => {
  expect(await pagesOf('user', 2)).toEqual([
    ['B b1', 'B b2'],
    ['B b3', 'A a1'],
  ]);
  expect(await pagesOf('approver', 3)).toEqual([['B b1', 'B b2', 'B b3'], ['A a1']]);
});

test('an intervention that is settled between two pages of the list hides no other one', async () => {
  const run = { id: 'S', tenantId: 'settling', createdAt: AT };
  await addRun(run, ['s1', 's2', 's3']);
  const first = await api.store.interventions.list('settling', { limit: 1 });
  const view = aView({ status: 'waiting', waitingFor: ['s2', 's3'].map(anIntervention) });
  await writeTo(api.store, run, aBatch([2], { view }));
  const second = await api.store.interventions.list('settling', { limit: 5, after: first.next ?? undefined });
  expect([first, second].map(({ items }) => items.map(({ intervention }) => intervention.id))).toEqual([
    ['s1'],
    ['s2', 's3'],
  ]);
});

test('values that look like an intervention do not use up a page of interventions', async () => {
  await addRun({ id: 'real', tenantId: 'looks', createdAt: '2026-01-01T00:00:00Z' }, ['r1']);
  for (const day of [2, 3, 4]) {
    const run = { id: `like-${day}`, tenantId: 'looks', createdAt: `2026-01-0${day}T00:00:00Z` };
    await api.store.runs.create(aNewRun(run));
    const pending = [{ node: 'a', update: { output: { kind: 'intervention' } } }];
    await writeTo(api.store, run, aBatch([1], { view: aView({ pending }) }));
  }
  const { items, next } = await api.store.interventions.list('looks', { limit: 1 });
  expect([items.map(({ runId }) => runId), next]).toEqual([['real'], null]);
});

test("interventions are listed for the caller's tenant, to users with the permission to read runs", async () => {
  expect(await pagesOf('otherTenantUser', 10)).toEqual([['D d1']]);
  expect(await api.stranger.get('/api/interventions')).toMatchObject({ status: 401 });
});

test('an intervention has the same fields in the list as in its run', async () => {
  const { body } = await api.as('user').get('/api/interventions?limit=1');
  const { kind: _kind, ...facts } = anIntervention('b1');
  expect(listAt(body, '/items')).toEqual([{ runId: 'B', ...facts }]);
  expect(listAt((await api.as('user').get('/api/runs/B')).body, '/waitingFor')).toContainEqual(anIntervention('b1'));
});
