import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMetricsPort } from '../../../../src/api/routes/metrics.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { AT, aBatch, aNewRun, aView, anApproval, writeTo } from '../../../support/builders/store-builders.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

let api: TestApi;
/** The values before the test, because tests of one process share its metrics. */
let earlier: ReadonlyMap<string, number>;
let now: ReadonlyMap<string, number>;
beforeAll(async () => {
  api = await startTestApi();
  const run = { id: 'A', tenantId: 'demo', createdAt: AT };
  await api.store.runs.create(aNewRun(run));
  const batch = aBatch([1], { view: aView({ status: 'waiting' }), approvals: [anApproval('A', 'pending')] });
  await writeTo(api.store, run, batch);
  await api.store.runs.create(aNewRun({ id: 'P', tenantId: 'demo', createdAt: AT }));
  earlier = await scrape();
  for (const path of ['/api/runs/A', '/api/runs/B', '/nowhere/1', '/nowhere/2']) await api.as('user').get(path);
  now = await scrape();
});
afterAll(async () => {
  await api.stop();
});

/** @returns the values by series */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const answer = await api.request('/metrics', { headers: { authorization: `Bearer ${api.tokens.admin}` } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('the gauges of current runs count those of all tenants', () => {
  expect(now.get('holdfast_runs_active{status="waiting"}')).toBe(1);
  expect(now.get('holdfast_runs_active{status="running"}')).toBe(0);
  expect(now.get('holdfast_approvals_pending')).toBe(1);
  expect(now.get('holdfast_approvals_oldest_age')).toBeGreaterThan(0);
  expect(now.get('holdfast_calls_unknown')).toBe(0);
  expect(now.get('holdfast_starts_pending')).toBe(1);
  expect(now.get('holdfast_starts_oldest_age')).toBeGreaterThan(0);
});

test('HTTP requests are measured by route, and unknown paths share one series', () => {
  const added = [...now]
    .map(([series, value]) => [series, value - (earlier.get(series) ?? 0)] as const)
    .filter(([series, count]) => series.startsWith('http_server_request_duration_count') && count > 0);
  const status = (code: number) => `http_response_status_code="${code}"`;
  expect(new Map(added)).toEqual(
    new Map([
      [`http_server_request_duration_count{http_request_method="GET",${status(200)},http_route="/api/runs/:id"}`, 1],
      [`http_server_request_duration_count{http_request_method="GET",${status(404)},http_route="/api/runs/:id"}`, 1],
      [`http_server_request_duration_count{http_request_method="GET",${status(404)}}`, 2],
      [`http_server_request_duration_count{http_request_method="GET",${status(200)},http_route="/metrics"}`, 1],
    ]),
  );
});

test('metrics at the port of the API require an administrator’s token', async () => {
  const statusFor = async (token: string | null): Promise<number> =>
    (await api.request('/metrics', { headers: token === null ? {} : { authorization: `Bearer ${token}` } })).status;
  expect([await statusFor(null), await statusFor(api.tokens.user), await statusFor(api.tokens.admin)]).toEqual([
    401, 403, 200,
  ]);
});

test('metrics can have a port of their own, which answers nothing else', async () => {
  const listening = await openMetricsPort(
    { port: 0, hostname: '127.0.0.1' },
    { ...api, logger: createLogger('silent') },
  );
  try {
    const answers = await Promise.all([
      fetch(`${listening.url}/metrics`),
      fetch(`${listening.url}/metrics`, { method: 'POST' }),
      fetch(`${listening.url}/api/runs`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 405, 404]);
    expect(await answers[0].text()).toContain('holdfast_runs_active{status="waiting"} 1');
  } finally {
    await listening.stop();
  }
});
