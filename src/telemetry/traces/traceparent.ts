import { TraceFlags, isSpanContextValid, trace } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** Parses a `traceparent` header (W3C Trace Context). @returns `null` for an invalid one */
export function readTraceparent(header: string | undefined): SpanContext | null {
  const parsed = header === undefined ? null : parseTraceParent(header);
  return parsed && isSpanContextValid(parsed) ? { ...parsed, isRemote: true } : null;
}

export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

/** The headers that propagate the active span to another server; empty without an active span. */
export function traceHeaders(): { readonly traceparent?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? { traceparent: toTraceparent(active) } : {};
}
