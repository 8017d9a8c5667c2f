import { END, forEdge } from '../definition/definition.ts';
import type {
  EdgeDefinition,
  ForEachEdge,
  RouteEdge,
  Branch,
  Target,
  GraphDefinition,
  NodeDefinition,
  EdgeTable,
} from '../definition/definition.ts';
import { parseExpression, NODE_NAMES } from '../expression/expression.ts';
import type { Bindings } from '../expression/expression.ts';
import type { ConcurrencyGroup } from '../run/scope.ts';
import { toList, addToList } from '../values/collections.ts';
import { GraphError } from '../values/errors.ts';
import { isJsonList } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spend } from '../values/meter.ts';
import { abbreviate, truncate } from '../values/text.ts';
import { namesIn, fieldsOfKind } from '../definition/node-types/describe-node.ts';

/** A compiled entry of a graph's `edges`. */
export interface CompiledEdge {
  /** The entry's index in the definition. A scope stores the finished sources of a join by this id. */
  readonly id: string;
  /** Several sources form a join: the edge fires once all of them have finished. */
  readonly sources: readonly string[];
  /** Evaluates the targets for a state. @throws GraphError `EXPRESSION_FAILED` or `INVALID_ROUTE` */
  readonly targets: (bindings: Bindings) => EdgeTargets;
}

/** The targets of an edge: nodes that run once each, or one node that runs for each element of a list. */
export type EdgeTargets =
  | { readonly kind: 'nodes'; readonly nodes: readonly string[] }
  | {
      readonly kind: 'elements';
      readonly node: string;
      readonly items: readonly Json[];
      readonly group: ConcurrencyGroup | null;
    };

/** The edges of each source: a node, or `__start__`. */
export type Outgoing = ReadonlyMap<string, readonly CompiledEdge[]>;

export function compileEdge(edge: EdgeDefinition, index: number): CompiledEdge {
  return { id: String(index), sources: [...new Set(toList(edge.from))], targets: compileTargets(edge, index) };
}

function compileTargets(edge: EdgeDefinition, index: number): CompiledEdge['targets'] {
  return forEdge<CompiledEdge['targets']>(edge, {
    plain: ({ to }) => toNodes(compileBranches([{ to }])),
    branches: ({ branches }) => toNodes(compileBranches(branches)),
    route: (choice) => toNodes(compileRoute(choice)),
    forEach: (fanOut) => compileForEach(fanOut, index),
  });
}

type Choose = (bindings: Bindings) => readonly string[];

function toNodes(choose: Choose): CompiledEdge['targets'] {
  return (bindings) => ({ kind: 'nodes', nodes: choose(bindings) });
}

function compileForEach({ forEach, to, maxConcurrency }: ForEachEdge, index: number): CompiledEdge['targets'] {
  const list = parseExpression(forEach, NODE_NAMES);
  if (to === END) return () => ({ kind: 'nodes', nodes: [] });
  const group = maxConcurrency === undefined ? null : { id: String(index), width: maxConcurrency };
  return (bindings) => {
    const items = list.evaluate(bindings);
    if (isJsonList(items)) return { kind: 'elements', node: to, items, group };
    throw new GraphError('EXPRESSION_FAILED', `forEach \`${quote(forEach)}\` gave ${shorten(items)}, not a list`);
  };
}

/** Compiles a route: its value is looked up in `paths`. For a list, each value is looked up. */
function compileRoute({ route, paths, default: otherwise }: RouteEdge): Choose {
  const expression = parseExpression(route, NODE_NAMES);
  const known = new Map(Object.entries(paths).map(([value, target]) => [value, nodesOf(target)]));
  const fallback = otherwise === undefined ? null : nodesOf(otherwise);
  return (bindings) => {
    const value = expression.evaluate(bindings);
    const values = isJsonList(value) ? value : [value];
    return values.flatMap((key) => {
      const nodes = (typeof key === 'string' ? known.get(key) : undefined) ?? fallback;
      spend(1 + (nodes?.length ?? 0));
      if (nodes) return nodes;
      const paths = abbreviate([...known.keys()].join(', '), MAX_SOURCE_LENGTH);
      const message = `Route \`${quote(route)}\` gave ${shorten(key)}; its paths are ${paths}`;
      throw new GraphError('INVALID_ROUTE', message);
    });
  };
}

/**
 * Compiles branches. The first true condition chooses the targets. If none is true, the branch without a condition
 * does, at any index; without one, there are no targets.
 */
function compileBranches(branches: readonly Branch[]): Choose {
  const conditions = branches.flatMap(({ when, to }) =>
    when === undefined ? [] : [{ when: parseExpression(when, NODE_NAMES), targets: nodesOf(to) }],
  );
  const otherwise = branches.find(({ when }) => when === undefined);
  const fallback = otherwise ? nodesOf(otherwise.to) : [];
  return (bindings) => {
    for (const { when, targets } of conditions) {
      const holds = when.evaluate(bindings);
      if (typeof holds !== 'boolean')
        throw new GraphError(
          'EXPRESSION_FAILED',
          `Condition \`${quote(when.source)}\` gave ${shorten(holds)}, not true or false`,
        );
      if (holds) return targets;
    }
    return fallback;
  };
}

/** In characters. Longer texts are cut in error messages. */
const MAX_VALUE_LENGTH = 100;
const MAX_SOURCE_LENGTH = 200;

function quote(source: string): string {
  return abbreviate(source, MAX_SOURCE_LENGTH);
}

function shorten(value: Json): string {
  return truncate(JSON.stringify(value), MAX_VALUE_LENGTH);
}

function nodesOf(target: Target): readonly string[] {
  return toList(target).filter((node) => node !== END);
}

/** Returns the edges that leave each node. */
export function edgesBySource<Edge extends { readonly sources: readonly string[] }>(
  edges: readonly Edge[],
): ReadonlyMap<string, readonly Edge[]> {
  const leaving = new Map<string, Edge[]>();
  for (const edge of edges) for (const source of edge.sources) addToList(leaving, source, edge);
  return leaving;
}

/** A possible transition between nodes, whatever the state is. Several sources form a join: all have to finish. */
export interface StaticEdge {
  readonly sources: readonly string[];
  /** Node ids, or `__end__`. */
  readonly targets: readonly string[];
  readonly kind: StaticEdgeKind;
}

/**
 * `plain`: the targets run whenever the sources finish. `conditional`: the state chooses. `goto`: the node itself
 * chooses, perhaps instead of its edges. `failure`: the targets run when the source fails.
 */
type StaticEdgeKind = 'plain' | 'conditional' | 'goto' | 'failure';

/** Lists every transition that a run of the graph may take by itself: edges, `onError` and `mayGoto`. */
export function staticEdges({ nodes, edges }: GraphDefinition): readonly StaticEdge[] {
  const byEdges = edges.map((edge): StaticEdge => {
    const { kind, targets } = forEdge(edge, TRANSITIONS);
    return { sources: [...new Set(toList(edge.from))], targets: distinct(targets), kind };
  });
  const byNodes = Object.entries(nodes).flatMap(([id, node]) => detoursOf(id, node));
  return [...byEdges, ...byNodes, ...deadEnds(nodes, [...byEdges, ...byNodes])];
}

function detoursOf(id: string, node: NodeDefinition): readonly StaticEdge[] {
  const { onError } = node;
  const sources = [id];
  const onFailure = typeof onError === 'object' ? [{ sources, targets: [onError.to], kind: 'failure' as const }] : [];
  const targets = namesIn(node, fieldsOfKind('goto'));
  const onGoto = targets.length > 0 ? [{ sources, targets, kind: 'goto' as const }] : [];
  return [...onFailure, ...onGoto];
}

interface Transitions {
  readonly kind: 'plain' | 'conditional';
  readonly targets: readonly Target[];
}

/** The transitions of each kind of edge. Branches that may choose no target end a path. */
const TRANSITIONS: EdgeTable<Transitions> = {
  plain: ({ to }) => ({ kind: 'plain', targets: [to] }),
  branches: ({ branches }) => {
    const hasDefault = branches.some(({ when }) => when === undefined);
    return { kind: 'conditional', targets: [...branches.map(({ to }) => to), ...(hasDefault ? [] : [END])] };
  },
  route: ({ paths, default: otherwise }) => ({
    kind: 'conditional',
    targets: [...Object.values(paths), ...(otherwise === undefined ? [] : [otherwise])],
  }),
  forEach: ({ to }) => ({ kind: 'conditional', targets: [to] }),
};

function distinct(targets: readonly Target[]): readonly string[] {
  return [...new Set(targets.flatMap((target) => (toList(target).length === 0 ? [END] : toList(target))))];
}

/** Returns edges to `__end__` for nodes without outgoing edges, because paths end there. */
function deadEnds(nodes: GraphDefinition['nodes'], edges: readonly StaticEdge[]): readonly StaticEdge[] {
  const left = new Set(edges.filter(({ kind }) => kind !== 'failure').flatMap(({ sources }) => sources));
  return Object.keys(nodes)
    .filter((id) => !left.has(id))
    .map((id) => ({ sources: [id], targets: [END], kind: 'plain' }));
}
