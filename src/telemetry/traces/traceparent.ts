import { TraceFlags, isSpanContextValid, trace } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { TracedRun } from '../../graph/journal/index.ts';
import { HOLDFAST } from './names.ts';
import { isTracing } from './run-tracer.ts';

/** Parses a `traceparent` header (W3C Trace Context). @returns `null` for an invalid one */
export function readTraceparent(header: string | undefined): SpanContext | null {
  const parsed = header === undefined ? null : parseTraceParent(header);
  return parsed && isSpanContextValid(parsed) ? { ...parsed, isRemote: true } : null;
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

/** The headers that propagate the active span to another server; empty without an active span. */
export function traceHeaders(): { readonly traceparent?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? { traceparent: toTraceparent(active) } : {};
}

interface StartedRun {
  readonly id: string;
  readonly tenantId: string;
  readonly graph: string;
  readonly threadId: string | null;
}

/**
 * Decides whether a new run is traced: it follows the sampling of its request. A run without a request, such as that of
 * a schedule, gets a root span of its own.
 * @returns `null` for a run that is not traced
 */
export function traceOfStart(run: StartedRun): TracedRun | null {
  if (!isTracing()) return null;
  const request = trace.getActiveSpan()?.spanContext() ?? spanOfStart(run);
  if ((request.traceFlags & TraceFlags.SAMPLED) === 0) return null;
  return { parent: toTraceparent(request), graph: run.graph, threadId: run.threadId };
}

function spanOfStart({ id, tenantId, graph }: StartedRun): SpanContext {
  const attributes = { [HOLDFAST.run]: id, [HOLDFAST.tenant]: tenantId };
  const span = trace.getTracer('holdfast').startSpan(`holdfast.start ${graph}`, { attributes });
  span.end();
  return span.spanContext();
}
