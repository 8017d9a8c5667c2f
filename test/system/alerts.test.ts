import { expect, test } from 'vitest';
import { evaluateQueries } from '../support/promql/evaluate-queries.ts';
import { scrapesOf } from '../support/promql/scrapes-of.ts';
import { readAlerts } from '../support/readers/alerts.ts';

/* Each alert fires in Prometheus for its own condition, and for no other. */

type Exported = Readonly<Record<string, number>>;

/** A histogram with nearly all, or only a few, values below a bound. */
const below = (name: string, labels: string, [bound, part]: readonly [number, number]): Exported => ({
  [`${name}_bucket{${labels}le="${bound}"}`]: part * 100,
  [`${name}_bucket{${labels}le="900"}`]: 100,
  [`${name}_bucket{${labels}le="+Inf"}`]: 100,
});

const WELL: Exported = {
  'holdfast_runs_active{status="running"}': 3,
  'http_server_request_duration_count{http_response_status_code="200"}': 100,
  'http_server_request_duration_count{http_response_status_code="503"}': 1,
  'holdfast_runs_total{graph="pay",outcome="completed"}': 100,
  'holdfast_runs_total{graph="pay",outcome="failed"}': 2,
  ...below('holdfast_run_start_delay', '', [1, 0.99]),
  holdfast_starts_oldest_age: 2,
  ...below('holdfast_activity_queue_time', 'activity="callTool",', [1, 0.99]),
  ...below('holdfast_journal_lag', '', [5, 0.99]),
  holdfast_calls_unknown: 0,
  'holdfast_call_duration_count{called="tool:pay",outcome="completed"}': 100,
  'holdfast_call_duration_count{called="tool:pay",outcome="failed"}': 5,
  'gen_ai_client_operation_duration_count{gen_ai_request_model="small"}': 100,
  'gen_ai_client_operation_duration_count{gen_ai_request_model="small",error_type="timeout"}': 5,
  'holdfast_usage_cost_usd_total{model="small"}': 0.1,
  holdfast_approvals_oldest_age: 3_600,
  holdfast_runs_put_aside_total: 0,
  holdfast_workflow_task_failures_total: 1,
};

/** The metrics that change to make each alert fire. */
const UNWELL: Readonly<Record<string, Exported>> = {
  HoldfastApiErrors: { 'http_server_request_duration_count{http_response_status_code="503"}': 10 },
  HoldfastRunsFail: { 'holdfast_runs_total{graph="pay",outcome="failed"}': 20 },
  HoldfastRunsStartLate: below('holdfast_run_start_delay', '', [1, 0.9]),
  HoldfastStartsWait: { holdfast_starts_oldest_age: 61 },
  HoldfastQueueLag: below('holdfast_activity_queue_time', 'activity="callTool",', [1, 0.9]),
  HoldfastJournalLate: below('holdfast_journal_lag', '', [5, 0.9]),
  HoldfastUnknownOutcomes: { holdfast_calls_unknown: 1 },
  HoldfastCallsFail: { 'holdfast_call_duration_count{called="tool:pay",outcome="failed"}': 60 },
  HoldfastModelFails: {
    'gen_ai_client_operation_duration_count{gen_ai_request_model="small",error_type="timeout"}': 40,
  },
  HoldfastCost: { 'holdfast_usage_cost_usd_total{model="small"}': 20 },
  HoldfastApprovalsWait: { holdfast_approvals_oldest_age: 90_000 },
  HoldfastPoisonedRun: { holdfast_runs_put_aside_total: 1 },
  HoldfastWorkflowTasksFail: { holdfast_workflow_task_failures_total: 5 },
};

/** The alerts that fire after a minute of scrapes. */
async function firing(exported: Exported): Promise<readonly string[]> {
  const text = Object.entries(exported).map(([series, value]) => `${series} ${value}\n`);
  const alerts = await readAlerts();
  const results = await evaluateQueries(
    scrapesOf(text.join('')),
    alerts.map(({ expr }) => expr),
  );
  expect(results.flatMap(({ error }) => error ?? [])).toEqual([]);
  return alerts.filter((_, at) => results[at]?.series !== 0).map(({ alert }) => alert);
}

test('no alert fires on a healthy stack', async () => {
  expect(await firing(WELL)).toEqual([]);
});

test('an alert fires when no API responds', async () => {
  const { 'holdfast_runs_active{status="running"}': _, ...others } = WELL;
  expect(await firing(others)).toEqual(['HoldfastSilent']);
});

test.each(Object.entries(UNWELL))('only the alert %s fires when its own condition is true', async (alert, exported) => {
  expect(await firing({ ...WELL, ...exported })).toEqual([alert]);
});

test('each documented alert has a test', async () => {
  const names = (await readAlerts()).map(({ alert }) => alert);
  expect(names).toEqual(['HoldfastSilent', ...Object.keys(UNWELL)]);
});
