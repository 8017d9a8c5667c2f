import { START } from '../definition/definition.ts';
import { spend } from '../values/meter.ts';
import { bySource } from './by-source.ts';
import type { StaticEdge } from './static-edges.ts';

/** Finds nodes that every run of the graph passes, because plain edges lead to them from nodes that never go elsewhere. */
export function findCertainNodes(all: readonly StaticEdge[]): ReadonlySet<string> {
  const detouring = new Set(
    all.filter(({ kind }) => kind === 'goto' || kind === 'failure').flatMap(({ sources }) => sources),
  );
  const leaving = bySource(all.filter(({ kind }) => kind === 'plain'));
  const arrivals = new Map<StaticEdge, number>();
  const certain = new Set([START]);
  const arrive = (edge: StaticEdge): readonly string[] => {
    const arrived = (arrivals.get(edge) ?? 0) + 1;
    arrivals.set(edge, arrived);
    spend(1);
    return arrived === edge.sources.length ? edge.targets : [];
  };
  for (const node of certain) {
    const edges = detouring.has(node) ? [] : (leaving.get(node) ?? []);
    for (const target of edges.flatMap(arrive)) certain.add(target);
  }
  return certain;
}
