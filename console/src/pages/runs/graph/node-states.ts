import { addressOf, isTaskEvent, taskKey } from '../data/history.ts';
import type { RunEvent, TaskEvent } from '../data/history.ts';

export type TaskStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'canceled';

/** The state of a node in a run. */
export interface NodeState {
  /** Of its latest visit. */
  readonly status: TaskStatus;
  readonly visits: number;
  /** Of the latest visit: the tasks of a node that runs for each element of a list; empty for others. */
  readonly elements: readonly { readonly index: number; readonly status: TaskStatus }[];
}

/** A node that waits, with its id but without its enclosing nodes. */
interface Waiting {
  readonly node: string;
  readonly index?: number | undefined;
}

/** The latest visit of a node, while events are read. */
interface Visit {
  number: number;
  readonly tasks: Map<number | null, TaskStatus>;
}

/**
 * Returns the states of the nodes of a run, by their addresses.
 * @param waitingFor what the run waits for, as timers, awaited events and interventions have no event
 */
export function nodeStates(
  events: readonly RunEvent[],
  waitingFor: readonly Waiting[] = [],
): ReadonlyMap<string, NodeState> {
  const visits = new Map<string, Visit>();
  for (const event of events) {
    if (isTaskEvent(event)) takeTaskEvent(visits, event);
    else takeRunEvent(visits, event);
  }
  for (const { node, index } of waitingFor) markWaiting(visits, node, index ?? null);
  return new Map([...visits].map(([address, visit]) => [address, toState(visit)]));
}

/** The status of a node task after an event. Other events do not change it. */
const STATUS_AFTER: Partial<Record<TaskEvent['type'], TaskStatus>> = {
  'node.started': 'running',
  'node.completed': 'completed',
  'node.failed': 'failed',
  'node.skipped': 'skipped',
  'approval.requested': 'waiting',
  'approval.decided': 'running',
  'approval.expired': 'running',
};

function takeTaskEvent(visits: Map<string, Visit>, event: TaskEvent): void {
  const status = STATUS_AFTER[event.type];
  if (status === undefined) return;
  // The quorum of the approval is still incomplete.
  if (event.type === 'approval.decided' && event.status === 'pending') return;
  const address = addressOf(event);
  const visit = visits.get(address) ?? { number: event.visit, tasks: new Map() };
  if (event.visit > visit.number) {
    visit.number = event.visit;
    visit.tasks.clear();
  }
  visit.tasks.set(event.index ?? null, status);
  visits.set(address, visit);
}

const OPEN: ReadonlySet<TaskStatus> = new Set(['running', 'waiting']);

function takeRunEvent(visits: Map<string, Visit>, event: RunEvent): void {
  if (event.type === 'run.retried') {
    const address = event.node === undefined ? null : addressOf({ node: event.node, path: event.path });
    for (const [name, { tasks }] of visits)
      if (address === null || name === address) replace(tasks, new Set(['failed']), 'running');
  }
  if (event.type === 'run.failed' || event.type === 'run.canceled')
    for (const { tasks } of visits.values()) replace(tasks, OPEN, 'canceled');
}

function replace(tasks: Visit['tasks'], these: ReadonlySet<TaskStatus>, by: TaskStatus): void {
  for (const [index, status] of tasks) if (these.has(status)) tasks.set(index, by);
}

function markWaiting(visits: Map<string, Visit>, node: string, index: number | null): void {
  for (const [address, { tasks }] of visits) {
    const isIt = address === node || address.endsWith(`/${node}`);
    if (isIt && tasks.has(index) && OPEN.has(tasks.get(index) ?? 'completed')) tasks.set(index, 'waiting');
  }
}

/** By priority: the node has the first status that one of its tasks has. */
const BY_PRIORITY: readonly TaskStatus[] = ['failed', 'waiting', 'running', 'canceled', 'completed', 'skipped'];

function toState({ number, tasks }: Visit): NodeState {
  const statuses = new Set(tasks.values());
  return {
    status: BY_PRIORITY.find((status) => statuses.has(status)) ?? 'running',
    visits: number,
    elements: [...tasks].flatMap(([index, status]) => (index === null ? [] : [{ index, status }])),
  };
}

/** One execution of a node with its events. */
export interface NodeTask {
  readonly key: string;
  readonly visit: number;
  readonly index: number | null;
  readonly events: readonly TaskEvent[];
}

interface NodeAddress {
  readonly path: readonly string[];
  readonly node: string;
}

/** Collects the executions of a node, the latest first. */
export function tasksOf(events: readonly RunEvent[], { path, node }: NodeAddress): readonly NodeTask[] {
  const around = path.join('/');
  const tasks = new Map<string, NodeTask & { readonly events: TaskEvent[] }>();
  for (const event of events) {
    if (!isTaskEvent(event) || event.node !== node || (event.path ?? []).join('/') !== around) continue;
    const key = taskKey(event);
    const task = tasks.get(key) ?? { key, visit: event.visit, index: event.index ?? null, events: [] };
    task.events.push(event);
    tasks.set(key, task);
  }
  return [...tasks.values()].sort((one, other) => other.visit - one.visit || (one.index ?? 0) - (other.index ?? 0));
}
