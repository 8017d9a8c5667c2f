import { chooseExporter } from '../exporters/choose-exporter.ts';
import { NOT_EXPORTING } from '../exporters/exporting.ts';
import type { ExportOptions, Exporting } from '../exporters/exporting.ts';

/** Has this process make spans, if the environment says so. Without that, nothing of the SDK is loaded. */
export async function openTracing(environment: NodeJS.ProcessEnv, options: ExportOptions): Promise<Exporting> {
  const { exporter, problems } = chooseExporter('TRACES', environment);
  for (const problem of problems) options.report(problem);
  if (!exporter) return NOT_EXPORTING;
  const { startSdk } = await import('./start-sdk.ts');
  const maxQueueSize = environment['OTEL_BSP_MAX_QUEUE_SIZE'];
  return { exporter, close: startSdk({ ...options, exporter, maxQueueSize }) };
}
