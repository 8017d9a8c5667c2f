import type { EdgeByKind, EdgeDefinition, EdgeKind } from './definition.ts';

/** One function for each kind of edge. */
export type EdgeTable<Result> = { readonly [Kind in EdgeKind]: (edge: EdgeByKind[Kind]) => Result };

/** Calls the function for the kind of an edge. */
export function forEdge<Result>(edge: EdgeDefinition, table: EdgeTable<Result>): Result {
  if ('branches' in edge) return table.branches(edge);
  if ('route' in edge) return table.route(edge);
  if ('forEach' in edge) return table.forEach(edge);
  return table.plain(edge);
}

/** Returns the kind of an edge that may have the wrong shape. */
export function kindOfEdge(fields: object): EdgeKind {
  return NAMED_FIELDS.find((field) => field in fields) ?? 'plain';
}

/** The kinds with a field of the same name. */
const NAMED_FIELDS = ['branches', 'route', 'forEach'] as const satisfies readonly EdgeKind[];
