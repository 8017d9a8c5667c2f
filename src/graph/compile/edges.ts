import { END, forEdge, targetsOfForEach } from '../definition/definition.ts';
import type { EdgeDefinition, ForEachEdge, RouteEdge, Branch, Target } from '../definition/definition.ts';
import { parseExpression } from '../expression/expression.ts';
import { NODE_NAMES } from '../expression/names.ts';
import type { Bindings } from '../expression/names.ts';
import type { ConcurrencyGroup } from '../run/scope.ts';
import { toList } from '../values/collections.ts';
import { GraphError } from '../values/errors.ts';
import { isJsonList } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { spendUnits } from '../values/meter.ts';
import { abbreviate, truncate } from '../values/text.ts';

/** A compiled entry of a graph's `edges`. */
export interface CompiledEdge {
  /** The entry's index in the definition. A scope stores the finished sources of a join by this id. */
  readonly id: string;
  /** Several sources form a join: the edge fires once all of them have finished. */
  readonly sources: readonly string[];
  /** Evaluates the targets for a state. @throws GraphError `EXPRESSION_FAILED` or `INVALID_ROUTE` */
  readonly targets: (bindings: Bindings) => EdgeTargets;
}

/** The targets of an edge: nodes that run once each, or nodes that run for elements of a list. */
export type EdgeTargets =
  | { readonly kind: 'nodes'; readonly nodes: readonly string[] }
  | {
      readonly kind: 'elements';
      /** All nodes that the edge may choose, sorted. They count as finished if it chooses none. */
      readonly nodes: readonly string[];
      readonly items: readonly Json[];
      /** Returns the nodes of an element. @throws GraphError `EXPRESSION_FAILED` or `INVALID_ROUTE` */
      readonly nodesOf: (item: Json, index: number) => readonly string[];
      readonly group: ConcurrencyGroup | null;
    };

/** The edges of each source: a node, or `__start__`. */
export type Outgoing = ReadonlyMap<string, readonly CompiledEdge[]>;

export function compileEdge(edge: EdgeDefinition, index: number): CompiledEdge {
  return { id: String(index), sources: [...new Set(toList(edge.from))], targets: compileTargets(edge, index) };
}

function compileTargets(edge: EdgeDefinition, index: number): CompiledEdge['targets'] {
  return forEdge<CompiledEdge['targets']>(edge, {
    plain: ({ to }) => toTargetNodes(compileBranches([{ to }])),
    branches: ({ branches }) => toTargetNodes(compileBranches(branches)),
    route: (choice) => toTargetNodes(compileRoute(choice)),
    forEach: (fanOut) => compileForEach(fanOut, index),
  });
}

type ChooseTargets = (bindings: Bindings) => readonly string[];

function toTargetNodes(choose: ChooseTargets): CompiledEdge['targets'] {
  return (bindings) => ({ kind: 'nodes', nodes: choose(bindings) });
}

function compileForEach(edge: ForEachEdge, index: number): CompiledEdge['targets'] {
  const { forEach, maxConcurrency } = edge;
  const list = parseExpression(forEach, NODE_NAMES);
  const nodes = [...new Set(targetsOfForEach(edge).flatMap(nodesOfTarget))].sort();
  const choose = compileElementRoute(edge);
  if (nodes.length === 0) return () => ({ kind: 'nodes', nodes: [] });
  const group = maxConcurrency === undefined ? null : { id: String(index), width: maxConcurrency };
  return (bindings) => {
    const items = list.evaluate(bindings);
    const nodesOf = (item: Json, at: number): readonly string[] =>
      choose ? choose({ ...bindings, item, index: at }) : nodes;
    if (isJsonList(items)) return { kind: 'elements', nodes, items, nodesOf, group };
    throw new GraphError(
      'EXPRESSION_FAILED',
      `forEach \`${quoteSource(forEach)}\` gave ${shortenTarget(items)}, not a list`,
    );
  };
}

/** @returns `null` if all elements go to the same node */
function compileElementRoute({ route, paths = {}, default: otherwise }: ForEachEdge): ChooseTargets | null {
  if (route === undefined) return null;
  return compileRoute({ route, paths, ...(otherwise !== undefined && { default: otherwise }) });
}

/** Compiles a route: its value is looked up in `paths`. For a list, each value is looked up. */
function compileRoute({ route, paths, default: otherwise }: Omit<RouteEdge, 'from'>): ChooseTargets {
  const expression = parseExpression(route, NODE_NAMES);
  const known = new Map(Object.entries(paths).map(([value, target]) => [value, nodesOfTarget(target)]));
  const fallback = otherwise === undefined ? null : nodesOfTarget(otherwise);
  return (bindings) => {
    const value = expression.evaluate(bindings);
    const values = isJsonList(value) ? value : [value];
    return values.flatMap((key) => {
      const nodes = (typeof key === 'string' ? known.get(key) : undefined) ?? fallback;
      spendUnits(1 + (nodes?.length ?? 0));
      if (nodes) return nodes;
      const paths = abbreviate([...known.keys()].join(', '), MAX_SOURCE_LENGTH);
      const message = `Route \`${quoteSource(route)}\` gave ${shortenTarget(key)}; its paths are ${paths}`;
      throw new GraphError('INVALID_ROUTE', message);
    });
  };
}

/**
 * Compiles branches. The first true condition chooses the targets. If none is true, the branch without a condition
 * does, at any index; without one, there are no targets.
 */
function compileBranches(branches: readonly Branch[]): ChooseTargets {
  const conditions = branches.flatMap(({ when, to }) =>
    when === undefined ? [] : [{ when: parseExpression(when, NODE_NAMES), targets: nodesOfTarget(to) }],
  );
  const otherwise = branches.find(({ when }) => when === undefined);
  const fallback = otherwise ? nodesOfTarget(otherwise.to) : [];
  return (bindings) => {
    for (const { when, targets } of conditions) {
      const holds = when.evaluate(bindings);
      if (typeof holds !== 'boolean')
        throw new GraphError(
          'EXPRESSION_FAILED',
          `Condition \`${quoteSource(when.source)}\` gave ${shortenTarget(holds)}, not true or false`,
        );
      if (holds) return targets;
    }
    return fallback;
  };
}

/** In characters. Longer texts are cut in error messages. */
const MAX_VALUE_LENGTH = 100;

const MAX_SOURCE_LENGTH = 200;

function quoteSource(source: string): string {
  return abbreviate(source, MAX_SOURCE_LENGTH);
}

function shortenTarget(value: Json): string {
  return truncate(JSON.stringify(value), MAX_VALUE_LENGTH);
}

function nodesOfTarget(target: Target): readonly string[] {
  return toList(target).filter((node) => node !== END);
}
