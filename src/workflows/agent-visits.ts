import { nodeName, TRACED_EVENTS } from '../graph/journal/index.ts';
import type { EarlierVisit, RunEvent, Segment } from '../graph/journal/index.ts';
import type { TaskReference } from '../graph/run/index.ts';

/** Follows the visits of agents over the segments of a run. A wait ends a segment, but not always a visit. */
export interface AgentVisits {
  /** Records the events of a segment. @param segment its name */
  observe(events: readonly ObservedEvent[], segment: string): void;
  /** Returns and resets the agents of the segment that ends now. */
  take(): Pick<Segment, 'agents' | 'resumed'>;
  /** Returns the state for the next execution. */
  state(): AgentVisitsState;
}

/** The part of an event that is needed; an event about no task names none. */
export type ObservedEvent = Pick<RunEvent, 'type'> & Partial<TaskReference>;

export interface AgentVisitsState {
  /** The latest visit of each agent, unless it is over. A failed visit is kept, because it may be retried. */
  readonly open: readonly EarlierVisit[];
  /** The agents of the open segment so far. */
  readonly agents: readonly string[];
  /** The visits of earlier segments that the open segment continues. */
  readonly resumed: readonly EarlierVisit[];
}

export const NO_VISITS: AgentVisitsState = { open: [], agents: [], resumed: [] };

const TRACED_EVENT_TYPES: ReadonlySet<RunEvent['type']> = new Set(TRACED_EVENTS);
const OVER: ReadonlySet<RunEvent['type']> = new Set(['node.completed', 'node.skipped']);

/** @param isAgent true for a task of an agent */
export function createAgentVisits(isAgent: (task: TaskReference) => boolean, state: AgentVisitsState): AgentVisits {
  const open = new Map(state.open.map((visit) => [visitKey(visit), visit]));
  const agents = new Set(state.agents);
  let { resumed } = state;
  const record = (task: TaskReference, segment: string): void => {
    agents.add(nodeName(task));
    const earlier = open.get(visitKey(task));
    if (earlier?.visit === task.visit && earlier.toldIn !== segment) resumed = [...resumed, earlier];
    open.set(visitKey(task), { ...task, toldIn: segment });
  };
  return {
    observe(events, segment) {
      for (const event of events) {
        const task = TRACED_EVENT_TYPES.has(event.type) ? taskOfEvent(event) : null;
        if (!task || !isAgent(task)) continue;
        record(task, segment);
        if (OVER.has(event.type)) open.delete(visitKey(task));
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

function taskOfEvent({ node, visit, index, path }: ObservedEvent): TaskReference | null {
  if (node === undefined || visit === undefined) return null;
  return { node, visit, ...(index !== undefined && { index }), ...(path && { path }) };
}

function visitKey(task: TaskReference): string {
  return `${nodeName(task)}#${task.index ?? ''}`;
}
