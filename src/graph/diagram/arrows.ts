import { END } from '../definition.ts';
import type { EdgeDefinition, Target } from '../definition.ts';
import { toList } from '../edges.ts';
import type { Arrow } from './diagram.ts';

/** An arrow that leaves from an edge's sources, wherever they lead from. */
export type Way = Omit<Arrow, 'from'>;

/** Where an edge leads, by node id, each way with its condition. */
export function waysOf(edge: EdgeDefinition): readonly Way[] {
  if ('branches' in edge) return edge.branches.flatMap(({ when, to }) => ways(to, when ?? DEFAULT));
  if ('route' in edge) {
    const byDefault = edge.default === undefined ? [] : ways(edge.default, DEFAULT);
    return [...Object.entries(edge.paths).flatMap(([value, to]) => ways(to, value)), ...byDefault];
  }
  if ('forEach' in edge) return [{ to: edge.to, kind: 'forEach', label: describeForEach(edge) }];
  return ways(edge.to, null);
}

const DEFAULT = 'default';

function ways(target: Target, label: string | null): readonly Way[] {
  const named = toList(target);
  return (named.length === 0 ? [END] : named).map((to) => ({ to, kind: 'plain', label }));
}

function describeForEach(edge: { readonly forEach: string; readonly maxConcurrency?: number }): string {
  const bound = edge.maxConcurrency === undefined ? '' : ` (${edge.maxConcurrency} at a time)`;
  return `for each of ${edge.forEach}${bound}`;
}
