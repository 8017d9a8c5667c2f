import { context, diag, trace } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  RandomIdGenerator,
} from '@opentelemetry/sdk-trace-base';
import type { SpanExporter, IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { ExporterName, ExportOptions } from '../exporters/choose-exporter.ts';
import { flushed, reportProblems, toResource } from '../exporters/sdk-parts.ts';
import { setRunTracer } from './run-tracer.ts';

interface SdkOptions extends ExportOptions {
  readonly exporter: ExporterName;
  /** `OTEL_BSP_MAX_QUEUE_SIZE`: the most spans that wait to be sent. */
  readonly maxQueueSize: string | undefined;
}

const EXPORTERS: Readonly<Record<ExporterName, () => SpanExporter>> = {
  otlp: () => new OTLPTraceExporter(),
  console: () => new ConsoleSpanExporter(),
};

/** One of the longest segments alone would fill the SDK's own queue of 2,048. */
const MAX_QUEUE = 20_000;

/**
 * Starts OpenTelemetry's SDK for spans, which reads its own variables. Requests are sampled by `OTEL_TRACES_SAMPLER`; a
 * run follows the request for it.
 * @returns a function that sends what is left, and stops
 */
export function startSdk({ service, exporter, maxQueueSize, report }: SdkOptions): () => Promise<void> {
  reportProblems(report);
  const resource = toResource(service);
  const processor = new BatchSpanProcessor(EXPORTERS[exporter](), { maxQueueSize: Number(maxQueueSize) || MAX_QUEUE });
  const parts = { resource, spanProcessors: [processor] };
  const ids = new FixedIds();
  const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() });
  const tracer = new BasicTracerProvider({ ...parts, idGenerator: ids, sampler }).getTracer('holdfast');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider(parts));
  setRunTracer({ tracer, startAs: (given, start) => ids.with(given, () => start(tracer)) });
  return async () => {
    setRunTracer(null);
    await flushed(processor.shutdown());
    trace.disable();
    context.disable();
    diag.disable();
  };
}

type Ids = Pick<SpanContext, 'traceId' | 'spanId'>;

/** Gives random ids, or fixed ones while `with` runs. */
class FixedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #fixed: Ids | null = null;

  /** Has the spans that `start` begins take these ids. */
  with<T>(ids: Ids, start: () => T): T {
    this.#fixed = ids;
    try {
      return start();
    } finally {
      this.#fixed = null;
    }
  }

  generateTraceId = (): string => this.#fixed?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#fixed?.spanId ?? this.#random.generateSpanId();
}
