import { END } from '../definition/definition.ts';
import type { EdgeDefinition, NodeDefinition, Target } from '../definition/definition.ts';
import { namesInFields } from '../definition/names-at.ts';
import { fieldsOf, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import { toList } from '../values/collections.ts';
import type { Arrow } from './diagram.ts';

/** An arrow without its source. */
export type Way = Omit<Arrow, 'from'>;

/** Returns the arrows of an edge, each with a node id as target and its condition as label. */
export function waysOf(edge: EdgeDefinition): readonly Way[] {
  if ('branches' in edge) return edge.branches.flatMap(({ when, to }) => ways(to, when ?? DEFAULT));
  if ('route' in edge) {
    const byDefault = edge.default === undefined ? [] : ways(edge.default, DEFAULT);
    return [...Object.entries(edge.paths).flatMap(([value, to]) => ways(to, value)), ...byDefault];
  }
  if ('forEach' in edge) return [{ to: edge.to, kind: 'forEach', label: describeForEach(edge) }];
  return ways(edge.to, null);
}

/** Returns the arrows of a node in addition to its edges. */
export function detoursOf(node: NodeDefinition): readonly Way[] {
  const { onError } = node;
  const onFailure = typeof onError === 'object' ? [detour(onError.to, 'on error')] : [];
  const targets = namesInFields({ fields: fieldsOf(node), path: '' }, fieldsOfKind('goto'));
  return [...onFailure, ...targets.map(({ name }) => detour(name, 'goto'))];
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

function detour(to: string, label: string): Way {
  return { to, kind: 'detour', label };
}
