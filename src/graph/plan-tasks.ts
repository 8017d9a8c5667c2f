import { own } from './json.ts';
import type { NodeTask, Scope, Trigger } from './scope.ts';
import { taskKey } from './task-key.ts';

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
      round: 0,
      order: 0,
      state: { phase: 'ready' },
    };
  });
}

function placeOf(element: Trigger['element'] | null): Pick<NodeTask, 'index' | 'item' | 'lane'> {
  if (!element) return { index: null, item: null, lane: null };
  const { index, item, lane = null } = element;
  return { index, item, lane };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
