import { nodeName, TRACED_EVENTS } from '../graph/journal/index.ts';
import type { EarlierVisit, RunEvent, Segment, CallTrace, EndedSegments, TracedRun } from '../graph/journal/index.ts';
import { hasEnded, statusOf } from '../graph/run/index.ts';
import type { TaskReference, Run } from '../graph/run/index.ts';

/** Follows the visits of agents over the segments of a run: a wait ends a segment, and perhaps no visit. */
export interface AgentVisits {
  /** Takes note of events of a segment. @param segment its name */
  observe(events: readonly ObservedEvent[], segment: string): void;
  /** What the segment that ends now has of agents. */
  take(): Pick<Segment, 'agents' | 'resumed'>;
  /** All that the next execution needs to go on. */
  state(): AgentVisitsState;
}

/** What is needed of an event; one that is of no task names none. */
export type ObservedEvent = Pick<RunEvent, 'type'> & Partial<TaskReference>;

export interface AgentVisitsState {
  /** The latest visit of each agent, unless it is over. One that has failed may be tried again. */
  readonly open: readonly EarlierVisit[];
  /** What the open segment has so far. */
  readonly agents: readonly string[];
  readonly resumed: readonly EarlierVisit[];
}

const NO_VISITS: AgentVisitsState = { open: [], agents: [], resumed: [] };

const TOLD: ReadonlySet<RunEvent['type']> = new Set(TRACED_EVENTS);
const OVER: ReadonlySet<RunEvent['type']> = new Set(['node.completed', 'node.skipped']);

/** @param isAgent true for a task of an agent */
function createAgentVisits(isAgent: (task: TaskReference) => boolean, state: AgentVisitsState): AgentVisits {
  const open = new Map(state.open.map((visit) => [keyOf(visit), visit]));
  const agents = new Set(state.agents);
  let { resumed } = state;
  const note = (task: TaskReference, toldIn: string): void => {
    agents.add(nodeName(task));
    const earlier = open.get(keyOf(task));
    if (earlier?.visit === task.visit && earlier.toldIn !== toldIn) resumed = [...resumed, earlier];
    open.set(keyOf(task), { ...task, toldIn });
  };
  return {
    observe(events, segment) {
      for (const event of events) {
        const task = TOLD.has(event.type) ? taskOf(event) : null;
        if (!task || !isAgent(task)) continue;
        note(task, segment);
        if (OVER.has(event.type)) open.delete(keyOf(task));
      }
    },
    take() {
      const taken = { ...(agents.size > 0 && { agents: [...agents] }), ...(resumed.length > 0 && { resumed }) };
      agents.clear();
      resumed = [];
      return taken;
    },
    state: () => ({ open: [...open.values()], agents: [...agents], resumed }),
  };
}

function taskOf({ node, visit, index, path }: ObservedEvent): TaskReference | null {
  if (node === undefined || visit === undefined) return null;
  return { node, visit, ...(index !== undefined && { index }), ...(path && { path }) };
}

function keyOf(task: TaskReference): string {
  return `${nodeName(task)}#${task.index ?? ''}`;
}

/** Finds the segments of a traced run, which are traces of their own. */
export interface Segments {
  /** Takes note of what happens next. @param sentIn the span in which a signal was sent; `null`: no such span is known */
  begins(sentIn: string | null): void;
  /** Takes note of what the run has done. */
  observe(step: Progress): void;
  /** The segment that a call of now belongs to. */
  current(): CallTrace;
  /** The segments that have ended since the last time; `null`: none. */
  takeEnded(): EndedSegments | null;
  /** All that the next execution needs to go on. */
  state(): SegmentsState;
}

/** What segments need to know of a step of the run. */
interface Progress {
  readonly run: Pick<Run, 'phase'> & { readonly counters: Pick<Run['counters'], 'seq'> };
  readonly events: readonly ObservedEvent[];
}

export interface SegmentsState {
  /** The number of the segment that is open, or was so last. */
  readonly number: number;
  /** The number of the last event before the open segment; `null`: the run waits. */
  readonly openAfter: number | null;
  /** The span of the signal that the open segment began with; `null`: none is known. */
  readonly sentIn: string | null;
  readonly ended: readonly Segment[];
  readonly visits: AgentVisitsState;
}

interface SegmentsOptions {
  readonly trace: TracedRun;
  readonly execution: number;
  /** `null`: the execution begins a run, or reopens it. */
  readonly state: SegmentsState | null;
  /** True for a task of an agent. */
  readonly isAgent: (task: TaskReference) => boolean;
}

/** Events of a run that works, also if it has come to the next wait since. */
const WORK: ReadonlySet<RunEvent['type']> = new Set(['step.started', 'node.completed', 'node.failed', 'node.skipped']);

const NOT_BEGUN: SegmentsState = { number: 0, openAfter: null, sentIn: null, ended: [], visits: NO_VISITS };

export function createSegments({ trace, execution, state, isAgent }: SegmentsOptions): Segments {
  const begun = state ?? NOT_BEGUN;
  let { number, openAfter, sentIn, ended } = begun;
  const visits = createAgentVisits(isAgent, begun.visits);
  const nameOf = (of: number): string => `${execution}.${of}`;
  return {
    begins(by) {
      if (openAfter === null) sentIn = by;
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
