import { createHash } from 'node:crypto';
import { TraceFlags } from '@opentelemetry/api';
import type { SpanContext } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { FIRST_SEGMENT } from '../../graph/journal/index.ts';
import type { TracedRun } from '../../graph/journal/index.ts';
import { taskOfCall } from '../../graph/run/index.ts';
import type { TaskReference } from '../../graph/run/index.ts';

/** A segment of a run, which is one trace. */
export interface TraceSegment {
  readonly runId: string;
  readonly tenantId: string;
  readonly run: TracedRun;
  /** The name of the segment. */
  readonly segment: string;
}

/** The parts of a segment that have spans of their own, besides calls. */
export type SpanPart =
  | { readonly kind: 'root' }
  | { readonly kind: 'step'; readonly path: readonly string[]; readonly step: number }
  | ({ readonly kind: 'node' } & TaskReference);

export const ROOT: SpanPart = { kind: 'root' };

/**
 * Names the span of a part of a segment. The ids follow from the run alone, so each process computes the same ones.
 * @throws TypeError for a `traceparent` that is none
 */
export function spanContextOf(traced: TraceSegment, part: SpanPart): SpanContext {
  const spanId = spanIdOf(traced, nameOfPart(part));
  return { traceId: traceIdOf(traced), spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** The id in `spanContextOf`. @param name of the part */
export function spanIdOf(traced: TraceSegment, name: string): string {
  return digest(traced, name).slice(0, 16);
}

/** A name of a part that no other part of its segment has. */
export function nameOfPart(part: SpanPart): string {
  return JSON.stringify(identityOf(part));
}

/** The span of the request for the run. @throws TypeError for a `traceparent` that is none */
export function requestContext({ run: { parent } }: Pick<TraceSegment, 'run'>): SpanContext {
  const context = parseTraceParent(parent);
  if (context) return { ...context, isRemote: true };
  throw new TypeError(`${parent} is no traceparent`);
}

/**
 * The trace of a segment: the first one belongs to that of the request, each later one is a trace of its own.
 * @throws TypeError for a `traceparent` that is none
 */
export function traceIdOf(traced: TraceSegment): string {
  return traced.segment === FIRST_SEGMENT ? requestContext(traced).traceId : digest(traced, 'trace').slice(0, 32);
}

function digest({ runId, run: { parent }, segment }: TraceSegment, what: string): string {
  return createHash('sha256').update([parent, runId, segment, what].join('\n')).digest('hex');
}

function identityOf(part: SpanPart): readonly unknown[] {
  switch (part.kind) {
    case 'root':
      return ['root'];
    case 'step':
      return ['step', part.path, part.step];
    case 'node':
      return ['node', part.path ?? [], part.node, part.visit, part.index ?? null];
  }
}

/** The part that a call was made for, by the key of the call. The key of a compensation, or of a long path, names none. */
export function partOfCall(key: string): SpanPart {
  const task = taskOfCall(key);
  return task ? { kind: 'node', ...task } : ROOT;
}
