import { DiagLogLevel, context, diag, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { GivenIds } from './given-ids.ts';
import { setRunTracer } from './run-tracer.ts';
import type { SpanExporterName } from './span-exporter.ts';

export interface SdkOptions {
  /** The name of the process, unless `OTEL_SERVICE_NAME` says another one. */
  readonly service: string;
  readonly exporter: SpanExporterName;
  /** Is told what the SDK can't do. */
  readonly report: (message: string) => void;
}

const EXPORTERS: Readonly<Record<SpanExporterName, () => SpanExporter>> = {
  otlp: () => new OTLPTraceExporter(),
  console: () => new ConsoleSpanExporter(),
};

/** Waits for a silent collector at most this long when the process ends. */
const FLUSH_WITHIN_MS = 5_000;

/**
 * Starts OpenTelemetry's SDK for spans, which reads its own variables. Requests are sampled by `OTEL_TRACES_SAMPLER`; a
 * run follows the request for it.
 * @returns a function that sends what is left, and stops
 */
export function startSdk({ service, exporter, report }: SdkOptions): () => Promise<void> {
  diag.setLogger(toDiagLogger(report), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const resource = resourceFromAttributes({ 'service.name': service }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const processor = new BatchSpanProcessor(EXPORTERS[exporter]());
  const parts = { resource, spanProcessors: [processor] };
  const ids = new GivenIds();
  const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() });
  const tracer = new BasicTracerProvider({ ...parts, idGenerator: ids, sampler }).getTracer('holdfast');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider(parts));
  setRunTracer({ tracer, startAs: (given, start) => ids.with(given, () => start(tracer)) });
  return async () => {
    setRunTracer(null);
    await withinTime(processor.shutdown().catch(() => undefined));
    trace.disable();
    context.disable();
    diag.disable();
  };
}

function toDiagLogger(report: SdkOptions['report']) {
  const ignore = (): void => undefined;
  const tell = (message: string): void => report(`OpenTelemetry: ${message}`);
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}

async function withinTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FLUSH_WITHIN_MS);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
