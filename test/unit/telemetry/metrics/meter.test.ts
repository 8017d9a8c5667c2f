import { afterEach, beforeEach, expect, test } from 'vitest';
import { measure, measureWith, readMetrics } from '../../../../src/telemetry/metrics/meter.ts';

let goBack: () => void;
beforeEach(() => {
  goBack = measureWith({});
});
afterEach(() => goBack());

const seriesOf = async (name: string): Promise<readonly string[]> =>
  (await readMetrics()).split('\n').filter((line) => line.startsWith(`${name}{`));

test('ten thousand graph names create a hundred metric series and one for the remaining names', async () => {
  for (let n = 0; n < 10_000; n++) measure('holdfast.steps', 1, { graph: `graph-${n}` });
  const series = await seriesOf('holdfast_steps_total');
  expect(series).toHaveLength(101);
  expect(series).toContain('holdfast_steps_total{graph="graph-0"} 1');
  expect(series).toContain('holdfast_steps_total{graph="other"} 9900');
});

test('each label of a metric has up to a hundred values of its own', async () => {
  for (let n = 0; n < 200; n++) measure('holdfast.steps', 1, { graph: `graph-${n}` });
  measure('holdfast.runs', 1, { graph: 'late', outcome: 'completed' });
  expect(await seriesOf('holdfast_runs_total')).toEqual(['holdfast_runs_total{graph="late",outcome="completed"} 1']);
});

test('a long label value of a metric is cut', async () => {
  measure('holdfast.signals.ignored', 1, { signal: 'x'.repeat(5_000), reason: 'UNKNOWN' });
  expect((await seriesOf('holdfast_signals_ignored_total')).join().length).toBeLessThan(250);
});

test('a label that does not apply to a metric is left out', async () => {
  measure('gen_ai.execute_tool.duration', 0.1, { 'gen_ai.tool.name': 'pay', 'error.type': undefined });
  expect(await seriesOf('gen_ai_execute_tool_duration_count')).toEqual([
    'gen_ai_execute_tool_duration_count{gen_ai_tool_name="pay"} 1',
  ]);
});

test('histograms have the buckets that the OpenTelemetry conventions name', async () => {
  measure('gen_ai.execute_tool.duration', 0.1, { 'gen_ai.tool.name': 'pay', 'error.type': undefined });
  measure('gen_ai.client.token.usage', 5, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'm',
    'gen_ai.token.type': 'input',
  });
  const bounds = async (name: string): Promise<readonly number[]> =>
    (await seriesOf(`${name}_bucket`)).flatMap((line) => {
      const bound = Number(/le="([^"]+)"/.exec(line)?.[1]);
      return Number.isNaN(bound) ? [] : [bound];
    });
  const seconds = await bounds('gen_ai_execute_tool_duration');
  expect([seconds[0], seconds[1], seconds.at(-1)]).toEqual([0.01, 0.02, 81.92]);
  const tokens = await bounds('gen_ai_client_token_usage');
  expect([tokens[0], tokens[1], tokens.at(-1)]).toEqual([1, 4, 67_108_864]);
});

test('a metric that was never counted is exported as zero', async () => {
  const text = await readMetrics();
  expect(text).toContain('holdfast_runs_put_aside_total 0');
  expect(text).toContain('holdfast_idempotency_replays_total 0');
});

test('the previous metric readers are restored after a temporary one', async () => {
  measure('holdfast.sse.clients', 1, {});
  const back = measureWith({});
  expect(await readMetrics()).toContain('holdfast_sse_clients 0');
  back();
  expect(await readMetrics()).toContain('holdfast_sse_clients 1');
});
