import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import type { Context, Link, SpanContext } from '@opentelemetry/api';
import { FIRST_SEGMENT } from '../../graph/journal/index.ts';
import { markFailed } from './in-span.ts';
import { planSegment } from './plan-segment.ts';
import type { PlannedSegment, PlannedSpan } from './plan-segment.ts';
import { runTracer } from './run-tracer.ts';
import type { RunTracer } from './run-tracer.ts';
import { readTraceparent } from './traceparent.ts';
import { ROOT, requestContext, spanContextOf, traceIdOf } from './trace-segment.ts';
import type { TraceSegment } from './trace-segment.ts';

/** An ended segment. */
interface EndedSegment extends PlannedSegment {
  /** The `traceparent` of the signal that begins the segment. */
  readonly sentIn?: string;
}

/**
 * Creates the spans of an ended segment if tracing is enabled in this process. Repeated calls create the same spans.
 * @throws TypeError for a run with an invalid `traceparent`; errors of reading the events
 */
export async function emitSegment(traced: EndedSegment, events: Parameters<typeof planSegment>[1]): Promise<void> {
  const tracer = runTracer();
  if (!tracer) return;
  const traceId = traceIdOf(traced);
  for (const planned of await planSegment(traced, events)) makeSpan(tracer, traced, traceId, planned);
}

function makeSpan(runs: RunTracer, traced: EndedSegment, traceId: string, planned: PlannedSpan): void {
  const { name, spanId, parentId, startedAt, endedAt, attributes, error, earlier } = planned;
  const links = parentId === null ? linksOfSegment(traced) : linksToSpans(earlier);
  const options = { kind: SpanKind.INTERNAL, startTime: startedAt, attributes, links };
  const parent = parentContextOf(traced, traceId, parentId);
  const span = runs.startAs({ traceId, spanId }, (tracer) => tracer.startSpan(name, options, parent));
  if (error !== null) markFailed(span, error);
  span.end(endedAt);
}

function parentContextOf(traced: TraceSegment, traceId: string, parentId: string | null): Context {
  if (parentId !== null)
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED });
  return traced.segment === FIRST_SEGMENT ? trace.setSpanContext(ROOT_CONTEXT, requestContext(traced)) : ROOT_CONTEXT;
}

function linksToSpans(context: SpanContext | null): Link[] {
  return context ? [{ context }] : [];
}

/**
 * A later segment links to the previous one and to the signal that begins it; the first segment of a later execution
 * links to the request for the run.
 */
function linksOfSegment(traced: EndedSegment): Link[] {
  if (traced.segment === FIRST_SEGMENT) return [];
  const [execution = '', number] = traced.segment.split('.');
  const before = Number(number) - 1;
  const earlier = before > 0 && spanContextOf({ ...traced, segment: `${execution}.${before}` }, ROOT);
  return [{ context: earlier || requestContext(traced) }, ...linksToSpans(readTraceparent(traced.sentIn))];
}
