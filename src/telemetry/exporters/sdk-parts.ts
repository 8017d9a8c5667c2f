import { DiagLogLevel, diag } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import type { ExportOptions } from './choose-exporter.ts';

/** The longest wait for an unresponsive collector when the process ends. */
const FLUSH_WITHIN_MS = 5_000;

/** Names a process by `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`. */
export function toResource(service: string): Resource {
  return resourceFromAttributes({ 'service.name': service }).merge(detectResources({ detectors: [envDetector] }));
}

/** Forwards problems that OpenTelemetry's SDK reports. */
export function reportSdkProblems(report: ExportOptions['report']): void {
  const ignore = (): void => undefined;
  const log = (message: string): void => report(`OpenTelemetry: ${message}`);
  diag.setLogger(
    { error: log, warn: log, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Waits briefly for the last export and ignores its failure. */
export async function flushWithin(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FLUSH_WITHIN_MS);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
