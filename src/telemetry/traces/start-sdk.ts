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
import { flushWithin, reportSdkProblems, toResource } from '../exporters/sdk-parts.ts';
import { setRunTracer } from './run-tracer.ts';

interface SdkOptions extends ExportOptions {
  readonly exporter: ExporterName;
  /** `OTEL_BSP_MAX_QUEUE_SIZE`: the maximum number of queued spans. */
  readonly maxQueueSize: string | undefined;
}

const EXPORTERS: Readonly<Record<ExporterName, () => SpanExporter>> = {
  otlp: () => new OTLPTraceExporter(),
  console: () => new ConsoleSpanExporter(),
};

/** The largest segments exceed the SDK's default queue of 2,048. */
const MAX_QUEUE = 20_000;

/**
 * Starts OpenTelemetry's SDK for spans, which reads its own variables. Requests are sampled by `OTEL_TRACES_SAMPLER`; a
 * run follows its request.
 * @returns a function that sends the rest, and stops
 */
export function startSdk({ service, exporter, maxQueueSize, report }: SdkOptions): () => Promise<void> {
  reportSdkProblems(report);
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
    await flushWithin(processor.shutdown());
    trace.disable();
    context.disable();
    diag.disable();
  };
}

type SpanIds = Pick<SpanContext, 'traceId' | 'spanId'>;

/** Generates random ids, or fixed ones within `with`. */
class FixedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #fixed: SpanIds | null = null;

  /** Assigns these ids to the spans that `start` begins. */
  with<T>(ids: SpanIds, start: () => T): T {
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
