import { START } from '../definition/definition.ts';
import { spend } from '../values/meter.ts';
import { bySource } from './by-source.ts';
import type { StaticEdge } from './static-edges.ts';

/** What the nodes of a graph pass on their way, as the bits of one number. */
export interface Passed {
  /** Returns what a node has passed that leaves by an edge. */
  by(node: string, edge: StaticEdge): bigint;
  /** The set of all that can be passed. */
  readonly full: bigint;
  /** What it costs to put two sets together. */
  readonly price: number;
}

/**
 * Finds what every path to a node passes. Each node begins with all and keeps what each of its edges brings; an edge
 * brings what all its sources bring. A node that no path reaches keeps all.
 */
export function findDominators(edges: readonly StaticEdge[], passed: Passed): (node: string) => bigint {
  const found = new Map([[START, 0n]]);
  const before = (node: string): bigint => found.get(node) ?? passed.full;
  if (passed.full === 0n) return before;
  const leaving = bySource(edges);
  const changed = new Set([START]);
  const fire = (edge: StaticEdge): void => {
    const { sources, targets } = edge;
    spend((sources.length + targets.length) * passed.price);
    const brought = sources.reduce((all, node) => all | before(node) | passed.by(node, edge), 0n);
    for (const target of targets) {
      const kept = before(target) & brought;
      if (kept === before(target)) continue;
      found.set(target, kept);
      changed.add(target);
    }
  };
  while (changed.size > 0) {
    for (const join of followed(changed, leaving, fire)) fire(join);
  }
  return before;
}

/**
 * Follows the edges of changed nodes until none changes any more. A join has to look at all its sources, so it waits
 * for all that change before.
 * @returns the joins of the changed nodes
 */
function followed(
  changed: Set<string>,
  leaving: ReadonlyMap<string, readonly StaticEdge[]>,
  fire: (edge: StaticEdge) => void,
): ReadonlySet<StaticEdge> {
  const joins = new Set<StaticEdge>();
  for (const node of changed) {
    changed.delete(node);
    for (const edge of leaving.get(node) ?? []) {
      if (edge.sources.length === 1) fire(edge);
      else joins.add(edge);
    }
  }
  return joins;
}
