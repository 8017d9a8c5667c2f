import { isSpanContextValid, trace } from '@opentelemetry/api';

/** The fields of a log line that name the active span (OpenTelemetry, trace context in non-OTLP logs); none without one. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? { trace_id: active.traceId, span_id: active.spanId } : {};
}
