import { taskKey } from '../run/ids.ts';
import type { Scope, NodeTask, Trigger, ConcurrencyGroup } from '../run/scope.ts';
import { own } from '../values/json.ts';

type Plannable = Pick<Scope, 'triggers' | 'visits'>;

/**
 * The tasks of the next superstep: one for each node that was triggered, and on top one for each element of a list.
 * They stand in node-id order, then element order, whatever order the triggers came in.
 */
export function planTasks({ triggers, visits }: Plannable): NodeTask[] {
  const sorted = [...triggers].sort((a, b) => compare(a.node, b.node));
  const elements = new Map<string, number>();
  return sorted.map(({ node, element = null }) => {
    const ordinal = elements.get(node) ?? 0;
    if (element) elements.set(node, ordinal + 1);
    return {
      key: taskKey(node, element ? ordinal : undefined),
      node,
      visit: (own(visits, node) ?? 0) + 1,
      ...placeOf(element),
      retryRound: 0,
      takeover: 0,
      state: { phase: 'ready' },
    };
  });
}

function placeOf(element: Trigger['element'] | null): Pick<NodeTask, 'index' | 'item' | 'group'> {
  if (!element) return { index: null, item: null, group: null };
  const { index, item, group = null } = element;
  return { index, item, group };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** How many elements of each `forEach` are open. */
export type OpenByGroup = Map<string, number>;

export function openByGroup({ superstep }: Pick<Scope, 'superstep'>): OpenByGroup {
  const lanes: OpenByGroup = new Map();
  for (const task of superstep?.tasks ?? []) if (isOpen(task)) enter(task.group, lanes);
  return lanes;
}

export function isGroupFull(lane: ConcurrencyGroup | null, lanes: OpenByGroup): boolean {
  return lane !== null && (lanes.get(lane.id) ?? 0) >= lane.width;
}

/** Counts a task that has just been started, unless it is over already. */
export function occupy({ superstep }: Pick<Scope, 'superstep'>, { key, group }: NodeTask, lanes: OpenByGroup): void {
  const now = superstep?.tasks.find((task) => task.key === key);
  if (now && isOpen(now)) enter(group, lanes);
}

function enter(lane: ConcurrencyGroup | null, lanes: OpenByGroup): void {
  if (lane) lanes.set(lane.id, (lanes.get(lane.id) ?? 0) + 1);
}

function isOpen({ state }: NodeTask): boolean {
  return state.phase === 'open' || state.phase === 'intervention';
}
