import { canonicalJson, deepEqual, isJsonList, isJsonObject, own, toPointer } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/** A difference between two definitions; `path` is a JSON Pointer into the definition that has the value. */
export type DefinitionChange =
  | { readonly kind: 'added'; readonly path: string; readonly after: Json }
  | { readonly kind: 'removed'; readonly path: string; readonly before: Json }
  | { readonly kind: 'changed'; readonly path: string; readonly before: Json; readonly after: Json };

/** The depth at which values are compared as a whole: a field of a node, a single limit. */
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['nodes', 3],
  ['channels', 3],
  ['limits', 2],
]);

/**
 * Compares two definitions: nodes and channels by field, limits one by one, edges as a set, and everything else as a
 * whole.
 */
export function diffDefinitions(before: JsonObject, after: JsonObject): readonly DefinitionChange[] {
  const names = Object.keys({ ...before, ...after });
  return names.flatMap((name) => {
    const [left, right] = [own(before, name), own(after, name)];
    if (name === 'edges' && isJsonList(left) && isJsonList(right)) return diffEdges(left, right);
    return diffValues([name], left, right, LEVELS.get(name) ?? 1);
  });
}

/** @param levels the depth at which values are compared as a whole */
function diffValues(
  at: readonly string[],
  left: Json | undefined,
  right: Json | undefined,
  levels: number,
): readonly DefinitionChange[] {
  const isDeeper = at.length < levels;
  if (isDeeper && isJsonObject(left) && isJsonObject(right))
    return Object.keys({ ...left, ...right }).flatMap((name) =>
      diffValues([...at, name], own(left, name), own(right, name), levels),
    );
  const path = toPointer(at);
  if (left === undefined) return right === undefined ? [] : [{ kind: 'added', path, after: right }];
  if (right === undefined) return [{ kind: 'removed', path, before: left }];
  return deepEqual(left, right) ? [] : [{ kind: 'changed', path, before: left, after: right }];
}

/** The order of edges has no meaning, so moving an edge is no difference. */
function diffEdges(left: readonly Json[], right: readonly Json[]): readonly DefinitionChange[] {
  const [removed, added] = [withoutThoseOf(left, right), withoutThoseOf(right, left)];
  return [
    ...removed.map(({ edge, path }): DefinitionChange => ({ kind: 'removed', path, before: edge })),
    ...added.map(({ edge, path }): DefinitionChange => ({ kind: 'added', path, after: edge })),
  ];
}

function withoutThoseOf(edges: readonly Json[], others: readonly Json[]) {
  const counts = new Map<string, number>();
  for (const other of others.map(canonicalJson)) counts.set(other, (counts.get(other) ?? 0) + 1);
  return edges.flatMap((edge, index) => {
    const text = canonicalJson(edge);
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left > 0 ? [] : [{ edge, path: toPointer(['edges', String(index)]) }];
  });
}
