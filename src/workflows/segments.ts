import type { CallTrace, EndedSegments, RunEvent, Segment, TracedRun } from '../graph/journal/index.ts';
import { hasEnded, statusOf } from '../graph/run/index.ts';
import type { Run, TaskReference } from '../graph/run/index.ts';
import { createAgentVisits, NO_VISITS } from './agent-visits.ts';
import type { AgentVisitsState, ObservedEvent } from './agent-visits.ts';

/** Finds the segments of a traced run. Each segment is a trace of its own. */
export interface Segments {
  /** Records the origin of the next occurrence. @param sentIn the span in which a signal was sent; `null` if unknown */
  beginOccurrence(sentIn: string | null): void;
  /** Records a step of the run. */
  observe(step: ObservedStep): void;
  /** Returns the segment of calls that are made now. */
  current(): CallTrace;
  /** Returns the segments that have ended since the last time; `null` if there are none. */
  takeEnded(): EndedSegments | null;
  /** Returns the state for the next execution. */
  state(): SegmentsState;
}

/** The part of a step of the run that segments depend on. */
interface ObservedStep {
  readonly run: Pick<Run, 'phase'> & { readonly counters: Pick<Run['counters'], 'seq'> };
  readonly events: readonly ObservedEvent[];
}

export interface SegmentsState {
  /** The number of the open segment, or of the last one. */
  readonly number: number;
  /** The number of the last event before the open segment; `null` if the run waits. */
  readonly openAfter: number | null;
  /** The span of the signal that the open segment began with; `null` if unknown. */
  readonly sentIn: string | null;
  readonly ended: readonly Segment[];
  readonly visits: AgentVisitsState;
}

interface SegmentsOptions {
  readonly trace: TracedRun;
  readonly execution: number;
  /** The state from the previous execution; `null` if this one begins a run or reopens it. */
  readonly state: SegmentsState | null;
  /** True for a task of an agent. */
  readonly isAgent: (task: TaskReference) => boolean;
}

/** Events that show that a run has worked, even if it waits again afterwards. */
const WORK: ReadonlySet<RunEvent['type']> = new Set(['step.started', 'node.completed', 'node.failed', 'node.skipped']);

const NO_SEGMENT: SegmentsState = { number: 0, openAfter: null, sentIn: null, ended: [], visits: NO_VISITS };

export function createSegments({ trace, execution, state, isAgent }: SegmentsOptions): Segments {
  const begun = state ?? NO_SEGMENT;
  let { number, openAfter, sentIn, ended } = begun;
  const visits = createAgentVisits(isAgent, begun.visits);
  const nameOf = (of: number): string => `${execution}.${of}`;
  return {
    beginOccurrence(span) {
      if (openAfter === null) sentIn = span;
    },
    observe({ run, events }) {
      const isAtWork = statusOf(run) === 'running';
      const { seq } = run.counters;
      if (openAfter === null) {
        if (!isAtWork && !hasEnded(run) && !events.some(({ type }) => WORK.has(type))) return;
        number += 1;
        openAfter = seq - events.length;
      }
      visits.observe(events, nameOf(number));
      if (isAtWork) return;
      const segment = { name: nameOf(number), after: openAfter, upTo: seq, ...visits.take() };
      ended = [...ended, { ...segment, ...(sentIn !== null && { sentIn }) }];
      openAfter = null;
    },
    current: () => ({ ...trace, segment: nameOf(Math.max(1, number)) }),
    takeEnded() {
      const segments = ended;
      ended = [];
      return segments.length === 0 ? null : { run: trace, segments };
    },
    state: () => ({ number, openAfter, sentIn, ended, visits: visits.state() }),
  };
}
