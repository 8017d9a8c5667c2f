import { expect, test } from 'vitest';
import { chooseExporter } from '../../../../src/telemetry/exporters/choose-exporter.ts';
import type { TelemetrySignal } from '../../../../src/telemetry/exporters/choose-exporter.ts';

const ADDRESS = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const OF_TRACES = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
const OF_METRICS = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' };

test.each<[TelemetrySignal, NodeJS.ProcessEnv, string | null]>([
  ['TRACES', {}, null],
  ['TRACES', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
  ['TRACES', ADDRESS, 'otlp'],
  ['TRACES', OF_TRACES, 'otlp'],
  ['TRACES', OF_METRICS, null],
  ['TRACES', { OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
  ['TRACES', { OTEL_TRACES_EXPORTER: 'console' }, 'console'],
  ['TRACES', { ...ADDRESS, OTEL_TRACES_EXPORTER: 'none' }, null],
  ['TRACES', { ...ADDRESS, OTEL_SDK_DISABLED: 'true' }, null],
  ['METRICS', {}, null],
  ['METRICS', ADDRESS, 'otlp'],
  ['METRICS', OF_TRACES, null],
  ['METRICS', OF_METRICS, 'otlp'],
  ['METRICS', { ...ADDRESS, OTEL_METRICS_EXPORTER: 'none' }, null],
  ['METRICS', { ...ADDRESS, OTEL_METRICS_EXPORTER: 'prometheus' }, null],
  ['METRICS', { OTEL_METRICS_EXPORTER: 'otlp, prometheus' }, 'otlp'],
])('%s with %j go to %s', (signal, environment, exporter) => {
  expect(chooseExporter(signal, environment)).toEqual({ exporter, problems: [] });
});

test.each<[TelemetrySignal, NodeJS.ProcessEnv, string | null, string]>([
  ['TRACES', { OTEL_TRACES_EXPORTER: 'zipkin' }, null, 'OTEL_TRACES_EXPORTER=zipkin'],
  ['TRACES', { OTEL_TRACES_EXPORTER: 'console,otlp' }, 'otlp', 'OTEL_TRACES_EXPORTER=console is left out beside otlp'],
  ['TRACES', { ...ADDRESS, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'otlp', 'not by grpc'],
  ['METRICS', { ...ADDRESS, OTEL_METRICS_EXPORTER: 'statsd' }, null, 'OTEL_METRICS_EXPORTER=statsd'],
])('%s use only a part of %j', (signal, environment, ...[exporter, problem]) => {
  expect(chooseExporter(signal, environment)).toEqual({ exporter, problems: [expect.stringContaining(problem)] });
});
