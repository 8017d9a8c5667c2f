import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import type { Context, Link, SpanContext } from '@opentelemetry/api';
import { FIRST_SEGMENT } from '../../graph/journal/index.ts';
import { markFailed } from './in-span.ts';
import { planSegment } from './plan-segment.ts';
import type { PlannedSegment, PlannedSpan } from './plan-segment.ts';
import { runTracer } from './run-tracer.ts';
import type { RunTracer } from './run-tracer.ts';
import { readTraceparent } from './traceparent.ts';
import { ROOT, askedIn, spanContextOf, traceIdOf } from './trace-place.ts';
import type { TracePlace } from './trace-place.ts';

/** An ended segment. */
interface ToldSegment extends PlannedSegment {
  /** The `traceparent` of the signal that it begins with. */
  readonly sentIn?: string;
}

/**
 * Makes the spans of an ended segment, unless this process makes none. Made again, they are the same.
 * @throws TypeError for a run with a wrong `traceparent`; what reading the events throws
 */
export async function tellSegment(place: ToldSegment, events: Parameters<typeof planSegment>[1]): Promise<void> {
  const tracer = runTracer();
  if (!tracer) return;
  const traceId = traceIdOf(place);
  for (const planned of await planSegment(place, events)) makeSpan(tracer, place, traceId, planned);
}

function makeSpan(runs: RunTracer, place: ToldSegment, traceId: string, planned: PlannedSpan): void {
  const { name, spanId, parentId, startedAt, endedAt, attributes, error, earlier } = planned;
  const links = parentId === null ? linksOf(place) : linksTo(earlier);
  const options = { kind: SpanKind.INTERNAL, startTime: startedAt, attributes, links };
  const parent = parentOf(place, traceId, parentId);
  const span = runs.startAs({ traceId, spanId }, (tracer) => tracer.startSpan(name, options, parent));
  if (error !== null) markFailed(span, error);
  span.end(endedAt);
}

function parentOf(place: TracePlace, traceId: string, parentId: string | null): Context {
  if (parentId !== null)
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED });
  return place.segment === FIRST_SEGMENT ? trace.setSpanContext(ROOT_CONTEXT, askedIn(place)) : ROOT_CONTEXT;
}

function linksTo(context: SpanContext | null): Link[] {
  return context ? [{ context }] : [];
}

/**
 * A later segment points to the one before, and to the signal that it begins with; the first one of a later execution
 * to the request for the run.
 */
function linksOf(place: ToldSegment): Link[] {
  if (place.segment === FIRST_SEGMENT) return [];
  const [execution = '', number] = place.segment.split('.');
  const before = Number(number) - 1;
  const earlier = before > 0 && spanContextOf({ ...place, segment: `${execution}.${before}` }, ROOT);
  return [{ context: earlier || askedIn(place) }, ...linksTo(readTraceparent(place.sentIn))];
}
