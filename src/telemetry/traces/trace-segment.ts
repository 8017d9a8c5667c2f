import { createHash } from 'node:crypto';
import { TraceFlags } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { FIRST_SEGMENT } from '../../graph/journal/index.ts';
import type { TracedRun } from '../../graph/journal/index.ts';
import { taskOfCall } from '../../graph/run/index.ts';
import type { TaskReference } from '../../graph/run/index.ts';

/** A segment of a run, which forms one trace. */
export interface TraceSegment {
  readonly runId: string;
  readonly tenantId: string;
  readonly run: TracedRun;
  /** The name of the segment. */
  readonly segment: string;
}

/** The parts of a segment with their own spans, apart from calls. */
export type SpanPart =
  | { readonly kind: 'root' }
  | { readonly kind: 'step'; readonly path: readonly string[]; readonly step: number }
  | ({ readonly kind: 'node' } & TaskReference);

export const ROOT: SpanPart = { kind: 'root' };

/**
 * Returns the span context of a part of a segment. The ids are derived from the run, so every process computes the same
 * ones.
 * @throws TypeError for an invalid `traceparent`
 */
export function spanContextOf(traced: TraceSegment, part: SpanPart): SpanContext {
  const spanId = spanIdOf(traced, nameOfPart(part));
  return { traceId: traceIdOf(traced), spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** The id in `spanContextOf`. @param name the name of the part */
export function spanIdOf(traced: TraceSegment, name: string): string {
  return digestOfSegment(traced, name).slice(0, 16);
}

/** The name of a part, unique in its segment. */
export function nameOfPart(part: SpanPart): string {
  return JSON.stringify(identityOfPart(part));
}

/** The span of the request for the run. @throws TypeError for an invalid `traceparent` */
export function requestContext({ run: { parent } }: Pick<TraceSegment, 'run'>): SpanContext {
  const context = parseTraceParent(parent);
  if (context) return { ...context, isRemote: true };
  throw new TypeError(`${parent} is no traceparent`);
}

/**
 * The trace id of a segment: the first segment continues the trace of the request, each later one has its own.
 * @throws TypeError for an invalid `traceparent`
 */
export function traceIdOf(traced: TraceSegment): string {
  return traced.segment === FIRST_SEGMENT
    ? requestContext(traced).traceId
    : digestOfSegment(traced, 'trace').slice(0, 32);
}

function digestOfSegment({ runId, run: { parent }, segment }: TraceSegment, what: string): string {
  return createHash('sha256').update([parent, runId, segment, what].join('\n')).digest('hex');
}

function identityOfPart(part: SpanPart): readonly unknown[] {
  switch (part.kind) {
    case 'root':
      return ['root'];
    case 'step':
      return ['step', part.path, part.step];
    case 'node':
      return ['node', part.path ?? [], part.node, part.visit, part.index ?? null];
  }
}

/** The part for which a call was made, from the call key. The key of a compensation, or of a long path, yields none. */
export function partOfCall(key: string): SpanPart {
  const task = taskOfCall(key);
  return task ? { kind: 'node', ...task } : ROOT;
}
