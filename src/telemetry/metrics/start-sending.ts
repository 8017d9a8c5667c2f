import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { ConsoleMetricExporter, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { setVariables } from '../../process/process-options.ts';
import type { ExporterName, ExportOptions } from '../exporters/choose-exporter.ts';
import { flushWithin, reportSdkProblems, toResource } from '../exporters/sdk-parts.ts';
import { measureWith } from './meter.ts';

interface SendingOptions extends ExportOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly exporter: ExporterName;
}

const EXPORTERS: Readonly<Record<ExporterName, () => PushMetricExporter>> = {
  otlp: () => new OTLPMetricExporter(),
  console: () => new ConsoleMetricExporter(),
};

/** OpenTelemetry, `OTEL_METRIC_EXPORT_INTERVAL`. */
const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;

/**
 * Sends metrics at intervals. The exporter reads its own variables, such as the temporality.
 * @returns a function that sends the rest, and stops
 */
export function startSending({ service, report, environment, exporter }: SendingOptions): () => Promise<void> {
  reportSdkProblems(report);
  const exportIntervalMillis = intervalMsIn(environment);
  const reader = new PeriodicExportingMetricReader({
    exporter: EXPORTERS[exporter](),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(TIMEOUT_MS, exportIntervalMillis),
  });
  const restoreReaders = measureWith({ resource: toResource(service), readers: [reader] });
  return async () => {
    await flushWithin(reader.shutdown());
    restoreReaders();
  };
}

function intervalMsIn(environment: NodeJS.ProcessEnv): number {
  const given = Number(setVariables(environment)['OTEL_METRIC_EXPORT_INTERVAL']);
  return Number.isInteger(given) && given > 0 ? given : INTERVAL_MS;
}
