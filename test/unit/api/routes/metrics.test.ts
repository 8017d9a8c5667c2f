import { afterAll, beforeAll, expect, test } from 'vitest';
import { AT, aBatch, aNewRun, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
let lines: readonly string[];
beforeAll(async () => {
  api = await startTestApi();
  const run = { id: 'A', tenantId: 'demo', createdAt: AT };
  await api.store.runs.create(aNewRun(run));
  const batch = aBatch([1], { view: aView({ status: 'waiting' }), approvals: [anApproval('A', 'pending')] });
  await writeTo(api.store, run, batch);
  for (const path of ['/api/runs/A', '/api/runs/B', '/nowhere/1', '/nowhere/2']) await api.as('user').get(path);
  lines = await scrape();
});
afterAll(async () => {
  await api.stop();
});

async function scrape(): Promise<readonly string[]> {
  const answer = await api.request('/metrics');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return (await answer.text()).split('\n');
}

const valueOf = (series: string): number => {
  const line = lines.find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1).split(' ')[0]);
};

test('what is there at the moment is counted over all tenants', () => {
  expect(valueOf('holdfast_runs_active{status="waiting"}')).toBe(1);
  expect(valueOf('holdfast_runs_active{status="running"}')).toBe(0);
  expect(valueOf('holdfast_approvals_pending')).toBe(1);
  expect(valueOf('holdfast_approvals_oldest_age')).toBeGreaterThan(0);
  expect(valueOf('holdfast_ledger_in_doubt')).toBe(0);
});

test('requests are measured by route, and what is no route shares a series', () => {
  const requests = lines.filter((line) => line.startsWith('http_server_request_duration_count'));
  const route = requests.filter((line) => line.includes('http_route="/api/runs/:id"'));
  expect(route.map((line) => line.match(/status_code="(\d+)"/)?.[1])).toEqual(['200', '404']);
  expect(requests.filter((line) => !line.includes('http_route'))).toEqual([expect.stringMatching(/"404".* 2$/)]);
});
