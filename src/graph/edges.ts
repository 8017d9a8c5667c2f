import { END } from './definition.ts';
import type { Branch, EdgeDefinition, Target } from './definition.ts';
import { GraphError } from './errors.ts';
import { parseExpression } from './expression.ts';
import type { Bindings } from './expression.ts';
import { NODE_NAMES } from './nodes/node-scope.ts';
import type { Scope } from './scope.ts';

/** An edge entry, ready to fire on its own. */
export interface CompiledEdge {
  /** Its place in the definition; a join keeps its arrivals under this number. */
  readonly id: string;
  /** One source, or several that all have to finish: a join. */
  readonly sources: readonly string[];
  /** The nodes that it leads to on this state. @throws GraphError when it can't tell */
  readonly targets: (bindings: Bindings) => readonly string[];
}

/** The edge entries by source. */
export type Outgoing = ReadonlyMap<string, readonly CompiledEdge[]>;

export function compileEdge(edge: EdgeDefinition, index: number): CompiledEdge {
  return { id: String(index), sources: toList(edge.from), targets: compileTargets(edge) };
}

function compileTargets(edge: EdgeDefinition): CompiledEdge['targets'] {
  if ('branches' in edge) return compileBranches(edge.branches);
  const targets = nodesOf(edge.to);
  return () => targets;
}

/** The first branch that holds, in order; none: nowhere. */
function compileBranches(branches: readonly Branch[]): CompiledEdge['targets'] {
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
          `Condition \`${when.source}\` gave ${JSON.stringify(holds)}, not true or false`,
        );
      if (holds) return targets;
    }
    return [];
  };
}

export function toList(target: Target): readonly string[] {
  return typeof target === 'string' ? [target] : target;
}

function nodesOf(target: Target): readonly string[] {
  return toList(target).filter((node) => node !== END);
}

/** Where the edges of finished nodes lead, and what their joins have gathered. */
export interface Fired {
  readonly nodes: ReadonlySet<string>;
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

/**
 * Evaluates the edges of nodes that have finished, each entry on its own, in the order of source and entry.
 * @throws EdgeFailure
 */
export function fireEdges(
  outgoing: Outgoing,
  joins: Scope['joins'],
  { finished, bindings }: { finished: readonly string[]; bindings: Bindings },
): Fired {
  const nodes = new Set<string>();
  const gathered = { ...joins };
  for (const source of finished) {
    for (const edge of outgoing.get(source) ?? []) {
      if (!isComplete(edge, source, gathered)) continue;
      for (const node of targetsOf(edge, source, bindings)) nodes.add(node);
    }
  }
  return { nodes, joins: gathered };
}

/** Counts an arrival; a join that has all of its sources is re-armed. */
function isComplete(edge: CompiledEdge, source: string, gathered: Record<string, readonly string[]>): boolean {
  if (edge.sources.length === 1) return true;
  const arrived = [...new Set([...(gathered[edge.id] ?? []), source])];
  const complete = edge.sources.every((wanted) => arrived.includes(wanted));
  if (complete) delete gathered[edge.id];
  else gathered[edge.id] = arrived;
  return complete;
}

function targetsOf(edge: CompiledEdge, source: string, bindings: Bindings): readonly string[] {
  try {
    return edge.targets(bindings);
  } catch (error) {
    if (error instanceof GraphError) throw new EdgeFailure(source, error);
    throw error;
  }
}
