import { expect, test } from 'vitest';
import { chooseSpanExporter } from '../../../../src/telemetry/traces/span-exporter.ts';

const ADDRESS = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test.each([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
  [ADDRESS, 'otlp'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, 'otlp'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' }, null],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
  [{ OTEL_TRACES_EXPORTER: 'console' }, 'console'],
  [{ ...ADDRESS, OTEL_TRACES_EXPORTER: 'none' }, null],
  [{ ...ADDRESS, OTEL_SDK_DISABLED: 'true' }, null],
])('%j has spans go to %s', (environment, exporter) => {
  expect(chooseSpanExporter(environment)).toEqual({ exporter, problems: [] });
});

test.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, null, 'OTEL_TRACES_EXPORTER=zipkin'],
  [{ ...ADDRESS, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'otlp', 'not by grpc'],
])('%j can not be heeded as a whole', (environment, exporter, problem) => {
  expect(chooseSpanExporter(environment)).toEqual({ exporter, problems: [expect.stringContaining(problem)] });
});
