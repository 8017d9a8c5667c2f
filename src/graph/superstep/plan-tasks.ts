import { taskKey } from '../run/ids.ts';
import type { ConcurrencyGroup, NodeTask, Scope, Trigger } from '../run/scope.ts';
import { own } from '../values/json.ts';

/**
 * Plans the next superstep: one task per triggered node, and one per element of a list. Tasks are sorted by node id,
 * then element, so the order of triggers is irrelevant.
 */
export function planTasks(triggers: readonly Trigger[], visits: Scope['visits']): NodeTask[] {
  const sorted = [...triggers].sort((a, b) => compare(a.node, b.node));
  const elements = new Map<string, number>();
  return sorted.map(({ node, element = null }) => {
    const ordinal = elements.get(node) ?? 0;
    if (element) elements.set(node, ordinal + 1);
    return {
      key: taskKey(node, element ? ordinal : undefined),
      node,
      visit: (own(visits, node) ?? 0) + 1,
      ...elementOf(element),
      retryRound: 0,
      takeover: 0,
      state: { phase: 'ready' },
    };
  });
}

function elementOf(element: Trigger['element'] | null): Pick<NodeTask, 'index' | 'item' | 'group'> {
  if (!element) return { index: null, item: null, group: null };
  const { index, item, group = null } = element;
  return { index, item, group };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The number of open elements of each `forEach`. */
export type OpenByGroup = Map<string, number>;

export function openByGroup(tasks: readonly NodeTask[]): OpenByGroup {
  const groups: OpenByGroup = new Map();
  for (const task of tasks) addOpen(task, groups);
  return groups;
}

export function isGroupFull(group: ConcurrencyGroup | null, groups: OpenByGroup): boolean {
  return group !== null && (groups.get(group.id) ?? 0) >= group.width;
}

/** Adds a task that has begun and is not over. */
export function addOpen({ group, state: { phase } }: NodeTask, groups: OpenByGroup): void {
  const isOpen = phase === 'open' || phase === 'intervention';
  if (group && isOpen) groups.set(group.id, (groups.get(group.id) ?? 0) + 1);
}

/** Removes a task that has ended: another element may begin. */
export function removeOpen({ group }: NodeTask, groups: OpenByGroup): void {
  if (group) groups.set(group.id, (groups.get(group.id) ?? 0) - 1);
}
