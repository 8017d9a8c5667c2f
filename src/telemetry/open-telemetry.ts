import type { ExporterName } from './exporters/choose-exporter.ts';
import type { ExportOptions } from './exporters/exporting.ts';
import { openMetrics } from './metrics/open-metrics.ts';
import { openTracing } from './traces/open-tracing.ts';

/** The spans and metrics of a process. */
export interface Telemetry {
  /** Where they are sent, by name; `null`: nowhere. */
  readonly exporters: { readonly spans: ExporterName | null; readonly metrics: ExporterName | null };
  /** Sends what is left, and stops. */
  close(): Promise<void>;
}

/** Has this process send spans and metrics, if the environment says so. */
export async function openTelemetry(environment: NodeJS.ProcessEnv, options: ExportOptions): Promise<Telemetry> {
  const [tracing, metrics] = await Promise.all([openTracing(environment, options), openMetrics(environment, options)]);
  return {
    exporters: { spans: tracing.exporter, metrics: metrics.exporter },
    close: async () => void (await Promise.all([tracing.close(), metrics.close()])),
  };
}
