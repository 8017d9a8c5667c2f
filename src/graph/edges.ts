import { END } from './definition.ts';
import type { Branch, EdgeDefinition, ForEachEdge, RouteEdge, Target } from './definition.ts';
import { GraphError } from './errors.ts';
import { parseExpression } from './expression.ts';
import type { Bindings } from './expression.ts';
import { NODE_NAMES } from './nodes/node-scope.ts';
import { isJsonList } from './json.ts';
import type { Json } from './json.ts';
import type { Lane, Scope, Trigger } from './scope.ts';
import { toList } from './to-list.ts';
import { truncate } from './truncate.ts';

/** An edge entry, ready to fire on its own. */
export interface CompiledEdge {
  /** Its place in the definition; a join keeps its arrivals under this number. */
  readonly id: string;
  /** One source, or several that all have to finish: a join. */
  readonly sources: readonly string[];
  /** Where it leads on this state. @throws GraphError when it can't tell */
  readonly lead: (bindings: Bindings) => Lead;
}

/** Nodes that run once each, or one node that runs for each element of a list. */
export type Lead =
  | { readonly kind: 'nodes'; readonly nodes: readonly string[] }
  | { readonly kind: 'elements'; readonly node: string; readonly items: readonly Json[]; readonly lane: Lane | null };

/** The edge entries by source. */
export type Outgoing = ReadonlyMap<string, readonly CompiledEdge[]>;

export function compileEdge(edge: EdgeDefinition, index: number): CompiledEdge {
  return { id: String(index), sources: [...new Set(toList(edge.from))], lead: compileLead(edge, index) };
}

function compileLead(edge: EdgeDefinition, index: number): CompiledEdge['lead'] {
  if ('forEach' in edge) return compileForEach(edge, index);
  if ('route' in edge) return toNodes(compileRoute(edge));
  if ('branches' in edge) return toNodes(compileBranches(edge.branches));
  const nodes = nodesOf(edge.to);
  return () => ({ kind: 'nodes', nodes });
}

type Choose = (bindings: Bindings) => readonly string[];

function toNodes(choose: Choose): CompiledEdge['lead'] {
  return (bindings) => ({ kind: 'nodes', nodes: choose(bindings) });
}

function compileForEach({ forEach, to, maxConcurrency }: ForEachEdge, index: number): CompiledEdge['lead'] {
  const list = parseExpression(forEach, NODE_NAMES);
  if (to === END) return () => ({ kind: 'nodes', nodes: [] });
  const lane = maxConcurrency === undefined ? null : { id: String(index), width: maxConcurrency };
  return (bindings) => {
    const items = list.evaluate(bindings);
    if (isJsonList(items)) return { kind: 'elements', node: to, items, lane };
    throw new GraphError('EXPRESSION_FAILED', `forEach \`${forEach}\` gave ${brief(items)}, not a list`);
  };
}

/** Looks the value up in `paths`; a list is looked up value by value. */
function compileRoute({ route, paths, default: otherwise }: RouteEdge): Choose {
  const expression = parseExpression(route, NODE_NAMES);
  const known = new Map(Object.entries(paths).map(([value, target]) => [value, nodesOf(target)]));
  const fallback = otherwise === undefined ? null : nodesOf(otherwise);
  return (bindings) => {
    const value = expression.evaluate(bindings);
    const values = isJsonList(value) ? value : [value];
    return values.flatMap((one) => {
      const nodes = (typeof one === 'string' ? known.get(one) : undefined) ?? fallback;
      if (nodes) return nodes;
      const message = `Route \`${route}\` gave ${brief(one)}; its paths are ${[...known.keys()].join(', ')}`;
      throw new GraphError('INVALID_ROUTE', message);
    });
  };
}

/** The first branch that holds, in order; none: nowhere. */
function compileBranches(branches: readonly Branch[]): Choose {
  const compiled = branches.map(({ when, to }) => ({
    when: when === undefined ? null : parseExpression(when, NODE_NAMES),
    targets: nodesOf(to),
  }));
  return (bindings) => {
    for (const { when, targets } of compiled) {
      if (when === null) return targets;
      const holds = when.evaluate(bindings);
      if (typeof holds !== 'boolean')
        throw new GraphError(
          'EXPRESSION_FAILED',
          `Condition \`${when.source}\` gave ${brief(holds)}, not true or false`,
        );
      if (holds) return targets;
    }
    return [];
  };
}

const MAX_BRIEF = 100;

function brief(value: Json): string {
  return truncate(JSON.stringify(value), MAX_BRIEF);
}

function nodesOf(target: Target): readonly string[] {
  return toList(target).filter((node) => node !== END);
}

/** Where the edges of finished nodes lead, and what their joins have gathered. */
export interface Fired {
  readonly triggers: readonly Trigger[];
  readonly joins: Scope['joins'];
}

/** An edge that could not be evaluated: the run fails at its source. */
export class EdgeFailure extends Error {
  readonly node: string;
  override readonly cause: GraphError;

  constructor(node: string, cause: GraphError) {
    super(cause.message);
    this.node = node;
    this.cause = cause;
  }
}

/** A firing under way. */
interface Firing {
  readonly outgoing: Outgoing;
  readonly bindings: Bindings;
  readonly nodes: Set<string>;
  readonly elements: Trigger[];
  /** Targets of `forEach` over an empty list. */
  readonly empty: Set<string>;
  readonly joins: Record<string, readonly string[]>;
  /** Joins that have fired. */
  readonly used: Set<string>;
}

/**
 * Evaluates the edges of nodes that have finished, each entry on its own, in the order of source and entry. A node that
 * was to run for each element of an empty list, and that nothing else runs, has finished with it. A join fires once at
 * most, and uses up all arrivals: the order of its sources makes no difference.
 * @param already what else runs in the next superstep
 * @throws EdgeFailure
 */
export function fireEdges(
  outgoing: Outgoing,
  joins: Scope['joins'],
  { finished, already, bindings }: { finished: readonly string[]; already: readonly Trigger[]; bindings: Bindings },
): Fired {
  const nodes = new Set(already.filter(({ element }) => !element).map(({ node }) => node));
  const elements = already.filter(({ element }) => element);
  const firing = {
    outgoing,
    bindings,
    nodes,
    elements,
    empty: new Set<string>(),
    joins: { ...joins },
    used: new Set<string>(),
  };
  const fired = new Set<string>();
  for (let sources = finished; sources.length > 0; sources = passedOver(firing, fired)) {
    for (const source of sources) fireFrom(source, firing, fired);
  }
  return { triggers: [...[...nodes].map((node) => ({ node })), ...elements], joins: firing.joins };
}

function fireFrom(source: string, firing: Firing, fired: Set<string>): void {
  fired.add(source);
  for (const edge of firing.outgoing.get(source) ?? []) {
    if (!isComplete(edge, source, firing)) continue;
    const lead = leadOf(edge, source, firing.bindings);
    if (lead.kind === 'nodes') for (const node of lead.nodes) firing.nodes.add(node);
    else addElements(lead, firing);
  }
}

function addElements({ node, items, lane }: Lead & { kind: 'elements' }, { elements, empty }: Firing): void {
  if (items.length === 0) empty.add(node);
  for (const [index, item] of items.entries()) elements.push({ node, element: { item, index, ...(lane && { lane }) } });
}

function passedOver({ nodes, elements, empty }: Firing, fired: ReadonlySet<string>): readonly string[] {
  if (empty.size === 0) return [];
  const running = new Set([...nodes, ...elements.map(({ node }) => node)]);
  return [...empty].filter((node) => !running.has(node) && !fired.has(node)).sort();
}

/** Counts an arrival; a join that has all of its sources is re-armed for the next superstep. */
function isComplete({ id, sources }: CompiledEdge, source: string, { joins, used }: Firing): boolean {
  if (sources.length === 1) return true;
  if (used.has(id)) return false;
  const arrived = [...new Set([...(joins[id] ?? []), source])];
  joins[id] = arrived;
  if (!sources.every((wanted) => arrived.includes(wanted))) return false;
  delete joins[id];
  used.add(id);
  return true;
}

function leadOf(edge: CompiledEdge, source: string, bindings: Bindings): Lead {
  try {
    return edge.lead(bindings);
  } catch (error) {
    if (error instanceof GraphError) throw new EdgeFailure(source, error);
    throw error;
  }
}
