import type { Span, SpanContext, Tracer } from '@opentelemetry/api';

/** Creates the spans of runs. A run is traced completely or not at all, so no sampler is used here. */
export interface RunTracer {
  readonly tracer: Tracer;
  /** Starts a span with given ids. */
  startAs(ids: Pick<SpanContext, 'traceId' | 'spanId'>, start: (tracer: Tracer) => Span): Span;
}

let currentTracer: RunTracer | null = null;

/** @param tracer `null` disables tracing in this process */
export function setRunTracer(tracer: RunTracer | null): void {
  currentTracer = tracer;
}

/** @returns `null` if tracing is disabled in this process */
export function runTracer(): RunTracer | null {
  return currentTracer;
}

/** True if tracing is enabled in this process. */
export function isTracing(): boolean {
  return currentTracer !== null;
}
