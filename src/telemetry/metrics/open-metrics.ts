import { chooseExporter } from '../exporters/choose-exporter.ts';
import { NOT_EXPORTING } from '../exporters/exporting.ts';
import type { ExportOptions, Exporting } from '../exporters/exporting.ts';

/**
 * Has this process send its metrics, if the environment says so. They can be read at `/metrics` all the same. Without
 * that, nothing of the exporter is loaded.
 */
export async function openMetrics(environment: NodeJS.ProcessEnv, options: ExportOptions): Promise<Exporting> {
  const { exporter, problems } = chooseExporter('METRICS', environment);
  for (const problem of problems) options.report(problem);
  if (!exporter) return NOT_EXPORTING;
  const { startSending } = await import('./start-sending.ts');
  return { exporter, close: startSending({ ...options, environment, exporter }) };
}
