import { SpanKind, context, trace, SpanStatusCode } from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { runTracer } from './run-tracer.ts';
import { partOfCall, spanContextOf } from './trace-segment.ts';
import type { TraceSegment } from './trace-segment.ts';
import { GENERAL } from './names.ts';

/** The data with which a span begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly attributes: Attributes;
}

/** Work to do in a span. */
export interface SpannedWork<T> {
  /** @param span `null` without tracing */
  readonly work: (span: Span | null) => Promise<T>;
  /** Returns the name of an error. The message is not recorded because it may quote payloads. */
  readonly failureOf: (error: unknown) => string;
}

/** A call of a traced run. */
interface TracedCall extends TraceSegment {
  readonly key: string;
}

/** Does work in a child span of the node that makes the call. Without tracing it only does the work. */
export async function inCallSpan<T>(
  call: TracedCall | null,
  start: () => SpanStart,
  spanned: SpannedWork<T>,
): Promise<T> {
  if (!runTracer() || !call) return await spanned.work(null);
  const parent = trace.setSpanContext(context.active(), spanContextOf(call, partOfCall(call.key)));
  return await inSpan(parent, start, spanned);
}

/** Does work in a child of the active span. Without an active span it only does the work. */
export async function inSpanBelow<T>(start: () => SpanStart, spanned: SpannedWork<T>): Promise<T> {
  if (!trace.getActiveSpan()) return await spanned.work(null);
  return await inSpan(context.active(), start, spanned);
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

async function inSpan<T>(parent: Context, start: () => SpanStart, { work, failureOf }: SpannedWork<T>): Promise<T> {
  const { name, kind, attributes } = start();
  const tracer = runTracer()?.tracer ?? trace.getTracer('holdfast');
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), async () => await work(span));
  } catch (error) {
    markFailed(span, failureOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed by its error code; the message is omitted because it may quote payloads. */
export function markFailed(span: Span, code: string): void {
  span.setAttribute(GENERAL.error, code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
