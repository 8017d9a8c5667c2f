import type { Span, SpanContext, Tracer } from '@opentelemetry/api';

/** Makes the spans of runs. A run is traced as a whole or not at all, so no sampler decides here. */
export interface RunTracer {
  readonly tracer: Tracer;
  /** Starts a span whose ids are known before. */
  startAs(ids: Pick<SpanContext, 'traceId' | 'spanId'>, start: (tracer: Tracer) => Span): Span;
}

let current: RunTracer | null = null;

/** @param tracer `null`: this process makes no spans any more */
export function setRunTracer(tracer: RunTracer | null): void {
  current = tracer;
}

/** @returns `null` in a process that makes no spans */
export function runTracer(): RunTracer | null {
  return current;
}

/** True if this process makes spans. */
export function isTracing(): boolean {
  return current !== null;
}
