import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { choosePort } from '../../src/dev/ports.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { METRICS } from '../../src/telemetry/metrics/catalog.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import { startCollector } from '../support/doubles/collector.ts';
import type { Collector } from '../support/doubles/collector.ts';
import { PATIENTLY, hasStatus } from '../support/readers/api-runs.ts';
import { readExported } from '../support/readers/exported-metrics.ts';
import type { ExportedMetrics } from '../support/readers/exported-metrics.ts';
import { textAt } from '../support/readers/json-at.ts';
import { evaluateQueries } from '../support/promql/evaluate-queries.ts';
import { scrapesOf } from '../support/promql/scrapes-of.ts';
import { readAlerts } from '../support/readers/alerts.ts';
import { readQuery } from '../support/readers/queries.ts';
import { FIRST_PORT } from '../support/servers/ports.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

const teardown = openTeardown();
let collector: Collector;
let stack: TestStack;
let exported: ExportedMetrics;
/** The text of all exported metrics. */
let scraped: string;
let lines: readonly Line[];

const Line = z.looseObject({ level: z.number(), msg: z.string() });
type Line = z.output<typeof Line>;

beforeAll(async () => {
  collector = await startCollector();
  teardown.add(() => collector.stop());
  const temporalPort = await choosePort('the metrics of Temporal', undefined, FIRST_PORT);
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', `${collector.url}/v1/metrics`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', 'delta');
  vi.stubEnv('OTEL_METRIC_EXPORT_INTERVAL', '500');
  const config = fileURLToPath(new URL('./monitoring.config.ts', import.meta.url));
  stack = await startTestStack(config, { HOLDFAST_TEMPORAL_METRICS_PORT: String(temporalPort) });
  teardown.add(() => stack.stop());
  await doAll();
  const [own, temporal] = await Promise.all([
    fetch(new URL('/metrics', stack.baseUrl)),
    fetch(`http://127.0.0.1:${temporalPort}/metrics`),
  ]);
  scraped = `${await own.text()}\n${await temporal.text()}`;
  exported = readExported(scraped);
  lines = await linesOnceAllAreThere();
});
afterAll(async () => {
  await teardown.run();
  vi.unstubAllEnvs();
});

/** Log lines appear with a delay; those of activities come last. */
async function linesOnceAllAreThere(): Promise<readonly Line[]> {
  const read = async (): Promise<readonly Line[]> => {
    const written = await readFile(join(stack.dataDir, 'holdfast.log'), 'utf8');
    const whole = written.slice(0, written.lastIndexOf('\n'));
    return whole.split('\n').map((line) => Line.parse(JSON.parse(line)));
  };
  const isLast = ({ msg, graph }: Line): boolean => msg === 'a call failed' && graph === 'silent';
  return await vi.waitFor(async () => {
    const found = await read();
    if (!found.some(isLast)) throw new Error('The last line is not there yet');
    return found;
  }, PATIENTLY);
}

function graphOf(name: string, nodes: Readonly<Record<string, JsonObject>>): JsonObject {
  const ids = Object.keys(nodes);
  return { name, channels: {}, nodes, edges: ids.map((to, n) => ({ from: ids[n - 1] ?? '__start__', to })) };
}

async function start(graph: JsonObject, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
  const { body } = await stack.as('user').post('/api/runs', { graph, input: {} }, { prefer: 'wait=15', ...headers });
  return body;
}

/** Does everything once that is measured. */
async function doAll(): Promise<void> {
  const whole = graphOf('whole', {
    think: { type: 'llm', prompt: 'Hi' },
    hail: { type: 'greet' },
    look: { type: 'function', function: 'look', args: {} },
    pay: { type: 'tool', tool: 'flaky', args: {} },
    ask: { type: 'approval', title: 'Go?' },
  });
  const key = { 'idempotency-key': 'once' };
  const run = await start(whole, key);
  await start(whole, key);
  const id = textAt(run, '/id');
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const { workflow } = new TemporalClient({ connection, namespace: stack.namespace });
  await workflow.getHandle(toWorkflowId({ tenantId: 'demo', id })).signal('nonsense');
  await connection.close();
  const stream = await fetch(new URL(`/api/runs/${id}/stream`, stack.baseUrl), {
    headers: { authorization: `Bearer ${stack.tokens.user}` },
  });
  await stream.body?.cancel();
  const approval = textAt(run, '/waitingFor/0/id');
  await stack.as('approver').post(`/api/approvals/${approval}/decision`, { decision: 'approve' });
  await stack.as('user').untilRun(id, hasStatus('completed'));
  await start(graphOf('failing', { pay: { type: 'tool', tool: 'flaky', args: { never: true } } }));
  await start(graphOf('silent', { think: { type: 'llm', system: 'fail', prompt: 'Hi' } }));
}

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).default([]) })),
});

async function dashboardQueries(): Promise<readonly string[]> {
  const file = await readFile(new URL('../../deploy/grafana/holdfast.json', import.meta.url), 'utf8');
  const { panels } = Dashboard.parse(JSON.parse(file));
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

async function alertQueries(): Promise<readonly string[]> {
  return (await readAlerts()).map(({ expr }) => expr);
}

/** The only alert without a comparison. */
const OF_NOTHING = 'absent(holdfast_runs_active)';

interface Evaluated {
  /** Whether the query must return series, or has series to compare. */
  readonly of: 'series' | 'compared';
  /** The scraped text, by default that of the stack. */
  readonly text?: string;
}

/** The queries for which Prometheus has no number after some scrapes, with the error of each invalid one. */
async function unanswered(queries: readonly string[], { of, text = scraped }: Evaluated): Promise<readonly string[]> {
  const results = await evaluateQueries(scrapesOf(text), queries.map(withVariables));
  return queries.flatMap((query, at) => {
    const { error, [of]: found = 0 } = results[at] ?? {};
    if (error !== undefined) return [`${query}: ${error}`];
    return found > 0 ? [] : [query];
  });
}

/** Fills in the variables of a dashboard as Grafana does. */
function withVariables(query: string): string {
  return query.replaceAll('$__rate_interval', '5m').replaceAll('$graph', '.*');
}

/** The metrics and labels that a query needs and the stack does not export. */
function missingIn(query: string): readonly string[] {
  return readQuery(withVariables(query)).flatMap(({ name, labels }) => {
    const known = exported.get(name);
    if (!known) return [name];
    return labels.filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
  });
}

describe('the metrics of a stack', () => {
  test('the metrics of a stack include all metrics of the documented table', () => {
    const names = Object.entries(METRICS).map(([name, { kind }]) => {
      const plain = name.replaceAll('.', '_');
      if (kind === 'histogram') return `${plain}_count`;
      return kind === 'counter' ? `${plain}_total` : plain;
    });
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });

  test('the metrics of a stack include the metrics of each dashboard query', async () => {
    const queries = await dashboardQueries();
    expect(queries.length).toBeGreaterThan(30);
    expect(queries.flatMap(missingIn)).toEqual([]);
  });

  test('the metrics of a stack include the metrics of each alert', async () => {
    const queries = await alertQueries();
    expect(queries.length).toBeGreaterThan(10);
    expect(queries.flatMap(missingIn)).toEqual([]);
  });

  test('each dashboard query returns a series in Prometheus', async () => {
    expect(await unanswered(await dashboardQueries(), { of: 'series' })).toEqual([]);
  });

  test('each alert query returns a series in Prometheus after a failed request', async () => {
    const text = `${scraped}\nhttp_server_request_duration_count{http_response_status_code="503"} 1\n`;
    expect(await unanswered(await alertQueries(), { of: 'compared', text })).toEqual([OF_NOTHING]);
  });

  test('missing metrics fire an alert in Prometheus', async () => {
    expect(await unanswered([OF_NOTHING], { of: 'series', text: 'other 1\n' })).toEqual([]);
  });

  test('the check of dashboard queries finds a malformed query and an unknown metric', async () => {
    const wrong = ['sum by (graph', 'sum(rate(holdfast_nothing_total[5m]))'];
    expect(await unanswered(wrong, { of: 'series' })).toEqual([expect.stringContaining('sum by (graph: '), wrong[1]]);
  });

  test('a query of a metric that the stack does not expose is reported by this test', () => {
    expect(missingIn('sum by (nowhere) (rate(holdfast_runs_total{graph="a"}[5m])) / nothing')).toEqual([
      'holdfast_runs_total{nowhere}',
      'nothing',
    ]);
  });

  test('the metrics of a stack are sent by OTLP, too, with the configured temporality', async () => {
    const DELTA = 1;
    await expect
      .poll(() => collector.metrics.find(({ name }) => name === 'holdfast.runs'))
      .toMatchObject({
        service: 'holdfast',
        temporality: DELTA,
      });
  });
});

describe('the log', () => {
  const named = (msg: string): readonly Line[] => lines.filter((line) => line.msg === msg);

  test('the log of a stack begins with the process, its version and its settings', () => {
    expect(named('started')).toMatchObject([
      { mode: 'start', version: expect.stringMatching(/^\d/), exporters: { spans: null, metrics: 'otlp' } },
    ]);
  });

  test('the log of a stack records the start and the end of a run', () => {
    const [begun] = named('a run has begun');
    const ofRun = lines.filter((line) => line['run'] === begun?.['run'] && line.level >= 30).map(({ msg }) => msg);
    expect(ofRun).toEqual(
      expect.arrayContaining([
        'a run has begun',
        'a run waits for an approval',
        'an approval was decided',
        'a run has ended well',
      ]),
    );
    expect(named('a run has ended well')).toMatchObject([{ tenant: 'demo', graph: 'whole' }]);
  });

  test('the log of a stack records each failed attempt as a warning with its cause', () => {
    const WARN = 40;
    const facts = {
      tenant: 'demo',
      node: 'pay',
      visit: 1,
      called: 'tool:flaky',
      code: 'TOOL_FAILED',
      message: 'not now',
    };
    expect(named('an attempt of a call failed; another follows')).toMatchObject([
      { ...facts, level: WARN, graph: 'whole', attempt: 1 },
      { ...facts, level: WARN, graph: 'failing', attempt: 1 },
    ]);
    expect(named('a call failed')).toMatchObject([
      { ...facts, graph: 'failing', attempt: 2 },
      { called: 'model:default' },
    ]);
  });

  test.each([
    ['the tool says', { node: 'pay', called: 'tool:flaky', attempt: 1, euros: 5 }],
    ['the function says', { node: 'look', called: 'function:look', attempt: 1 }],
    ['the node says', { node: 'hail', called: 'node:greet', attempt: 1 }],
  ])('the log contains the lines that user code logs, with their call: %s', (msg, facts) => {
    const run = { run: expect.any(String), tenant: 'demo', graph: 'whole', visit: 1, key: expect.any(String) };
    expect(named(msg)[0]).toMatchObject({ ...run, ...facts });
  });
});
