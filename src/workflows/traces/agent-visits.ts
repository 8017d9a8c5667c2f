import { nodeName, TOLD_EVENTS } from '../../graph/journal/index.ts';
import type { EarlierVisit, RunEvent, Segment } from '../../graph/journal/index.ts';
import type { TaskReference } from '../../graph/run/index.ts';

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

export const NO_VISITS: AgentVisitsState = { open: [], agents: [], resumed: [] };

const TOLD: ReadonlySet<RunEvent['type']> = new Set(TOLD_EVENTS);
const OVER: ReadonlySet<RunEvent['type']> = new Set(['node.completed', 'node.skipped']);

/** @param isAgent true for a task of an agent */
export function createAgentVisits(isAgent: (task: TaskReference) => boolean, state: AgentVisitsState): AgentVisits {
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
