import { chooseExporter, NOT_EXPORTING } from './exporters/choose-exporter.ts';
import type { ExporterName, ExportOptions, Exporting } from './exporters/choose-exporter.ts';

/** The spans and metrics of a process. */
export interface Telemetry {
  /** The names of the exporters; `null` if nothing is sent. */
  readonly exporters: { readonly spans: ExporterName | null; readonly metrics: ExporterName | null };
  /** Sends the rest, and stops. */
  close(): Promise<void>;
}

/** Starts sending spans and metrics, if the environment names a destination. */
export async function openTelemetry(environment: NodeJS.ProcessEnv, options: ExportOptions): Promise<Telemetry> {
  const [tracing, metrics] = await Promise.all([openTracing(environment, options), openMetrics(environment, options)]);
  return {
    exporters: { spans: tracing.exporter, metrics: metrics.exporter },
    close: async () => void (await Promise.all([tracing.close(), metrics.close()])),
  };
}

/**
 * Starts sending metrics, if the environment names a destination. `/metrics` works in any case. Without a destination,
 * the exporter is not loaded.
 */
async function openMetrics(environment: NodeJS.ProcessEnv, options: ExportOptions): Promise<Exporting> {
  const { exporter, problems } = chooseExporter('METRICS', environment);
  for (const problem of problems) options.report(problem);
  if (!exporter) return NOT_EXPORTING;
  const { startSending } = await import('./metrics/start-sending.ts');
  return { exporter, close: startSending({ ...options, environment, exporter }) };
}

/** Starts creating spans, if the environment names a destination. Without one, the SDK is not loaded. */
async function openTracing(environment: NodeJS.ProcessEnv, options: ExportOptions): Promise<Exporting> {
  const { exporter, problems } = chooseExporter('TRACES', environment);
  for (const problem of problems) options.report(problem);
  if (!exporter) return NOT_EXPORTING;
  const { startSdk } = await import('./traces/start-sdk.ts');
  const maxQueueSize = environment['OTEL_BSP_MAX_QUEUE_SIZE'];
  return { exporter, close: startSdk({ ...options, exporter, maxQueueSize }) };
}
