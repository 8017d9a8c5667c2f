import type { TaskReference } from '../run/ids.ts';

/** How a run is traced. It is made where the run is asked for, and only if its spans are wanted. */
export interface TracedRun {
  /** The span in which the run was asked for, as a `traceparent` (W3C Trace Context). */
  readonly parent: string;
  readonly graph: string;
  readonly threadId: string | null;
  /** Something of the run is redacted, so its spans never hold contents. */
  readonly isRedacted?: true;
}

/**
 * A part of a run that is one trace: from its start, or from what ends a wait, to the next wait or its end. The name has
 * the number of the execution and its own number in it, such as `1.2`.
 */
export interface Segment {
  readonly name: string;
  /** The number of the last event before it. */
  readonly after: number;
  /** The number of its last event. */
  readonly upTo: number;
  /** The `traceparent` of the signal that it begins with. */
  readonly sentIn?: string;
  /** The agents among its nodes, by `nodeName`; absent: there are none. */
  readonly agents?: readonly string[];
  /** The visits of agents that it goes on with; absent: there are none. */
  readonly resumed?: readonly EarlierVisit[];
}

/** A visit of an agent that a segment has told of. */
export interface EarlierVisit extends TaskReference {
  /** The name of the latest such segment. */
  readonly toldIn: string;
}

/** Names a node of a run by the nodes around it, such as `outer/think`. */
export function nodeName({ node, path = [] }: Pick<TaskReference, 'node' | 'path'>): string {
  return [...path, node].join('/');
}

/** The segment that a call belongs to. */
export interface CallTrace extends TracedRun {
  readonly segment: string;
}

/** Segments that have ended, and whose journal is stored. */
export interface EndedSegments {
  readonly run: TracedRun;
  readonly segments: readonly Segment[];
}

/** The first segment of a run, which is part of the trace of the request for it. */
export const FIRST_SEGMENT = '1.1';
