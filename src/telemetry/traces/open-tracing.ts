import { chooseSpanExporter } from './span-exporter.ts';
import type { SdkOptions } from './start-sdk.ts';

/** The spans of a process. */
export interface Tracing {
  /** Sends what is left, and stops. */
  close(): Promise<void>;
}

const OFF: Tracing = { close: async () => undefined };

/** Has this process make spans, if the environment says so. Without that, nothing of the SDK is loaded. */
export async function openTracing(
  environment: NodeJS.ProcessEnv,
  { service, report }: Omit<SdkOptions, 'exporter'>,
): Promise<Tracing> {
  const { exporter, problems } = chooseSpanExporter(environment);
  for (const problem of problems) report(problem);
  if (!exporter) return OFF;
  const { startSdk } = await import('./start-sdk.ts');
  return { close: startSdk({ service, exporter, report }) };
}
