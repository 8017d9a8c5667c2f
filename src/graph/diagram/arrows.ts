import { END } from '../definition/definition.ts';
import type { EdgeDefinition, ForEachEdge, NodeDefinition, Target } from '../definition/definition.ts';
import { forEdge } from '../definition/edge-kinds.ts';
import type { EdgeTable } from '../definition/edge-kinds.ts';
import { namesInFields } from '../definition/names-at.ts';
import { fieldsOf, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import { toList } from '../values/collections.ts';
import type { Arrow } from './diagram.ts';

/** An arrow without its source. */
export type OutgoingArrow = Omit<Arrow, 'from'>;

/** Returns the arrows of an edge, each with a node id as target and its condition as label. */
export function arrowsOfEdge(edge: EdgeDefinition): readonly OutgoingArrow[] {
  return forEdge(edge, ARROWS);
}

const ARROWS: EdgeTable<readonly OutgoingArrow[]> = {
  plain: ({ to }) => plainArrows(to, null),
  branches: ({ branches }) => branches.flatMap(({ when, to }) => plainArrows(to, when ?? DEFAULT)),
  route: ({ paths, default: otherwise }) => [
    ...Object.entries(paths).flatMap(([value, to]) => plainArrows(to, value)),
    ...(otherwise === undefined ? [] : plainArrows(otherwise, DEFAULT)),
  ],
  forEach: (edge) => [{ to: edge.to, kind: 'forEach', label: describeForEach(edge) }],
};

/** Returns the arrows to the nodes that a node may go to without an edge. */
export function arrowsOfNode(node: NodeDefinition): readonly OutgoingArrow[] {
  const { onError } = node;
  const onFailure = typeof onError === 'object' ? [detour(onError.to, 'on error')] : [];
  const targets = namesInFields({ fields: fieldsOf(node), path: '' }, fieldsOfKind('goto'));
  return [...onFailure, ...targets.map(({ name }) => detour(name, 'goto'))];
}

const DEFAULT = 'default';

function plainArrows(target: Target, label: string | null): readonly OutgoingArrow[] {
  const named = toList(target);
  return (named.length === 0 ? [END] : named).map((to) => ({ to, kind: 'plain', label }));
}

function describeForEach({ forEach, maxConcurrency }: ForEachEdge): string {
  const bound = maxConcurrency === undefined ? '' : ` (${maxConcurrency} at a time)`;
  return `for each of ${forEach}${bound}`;
}

function detour(to: string, label: string): OutgoingArrow {
  return { to, kind: 'detour', label };
}
