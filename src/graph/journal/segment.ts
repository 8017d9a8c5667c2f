import type { TaskReference } from '../run/ids.ts';

/** The data for tracing a run. It is created with the run's start request, and only if its spans are exported. */
export interface TracedRun {
  /** The span of the request that started the run, as a `traceparent` (W3C Trace Context). */
  readonly parent: string;
  readonly graph: string;
  readonly threadId: string | null;
  /** True if any part of the run is redacted; its spans never contain payloads then. */
  readonly isRedacted?: true;
}

/**
 * A part of a run that forms one trace: from its start, or from the end of a wait, to the next wait or its end. The
 * name consists of the number of the execution and the segment's number in it, such as `1.2`.
 */
export interface Segment {
  readonly name: string;
  /** The number of the last event before the segment. */
  readonly after: number;
  /** The number of the segment's last event. */
  readonly upTo: number;
  /** The `traceparent` of the signal that starts the segment. */
  readonly sentIn?: string;
  /** The agents among its nodes, by `nodeName`; absent if there are none. */
  readonly agents?: readonly string[];
  /** The visits of agents that it continues; absent if there are none. */
  readonly resumed?: readonly EarlierVisit[];
}

/** A visit of an agent whose span is in an earlier segment. */
export interface EarlierVisit extends TaskReference {
  /** The name of the latest such segment. */
  readonly toldIn: string;
}

/** Returns the name of a node with the nodes around it, such as `outer/think`. */
export function nodeName({ node, path = [] }: Pick<TaskReference, 'node' | 'path'>): string {
  return [...path, node].join('/');
}

/** The segment that a call belongs to. */
export interface CallTrace extends TracedRun {
  readonly segment: string;
}

/** Segments that have ended and whose journal is stored. */
export interface EndedSegments {
  readonly run: TracedRun;
  readonly segments: readonly Segment[];
}

/** The first segment of a run, which is part of the trace of its start request. */
export const FIRST_SEGMENT = '1.1';
