import { compileChannel } from '../channels/channel.ts';
import type { Channel, Update } from '../channels/channel.ts';
import type { Catalog } from '../definition/catalog.ts';
import type { GraphDefinition, NodeDefinition, OnErrorDefinition, WriteDefinition } from '../definition/definition.ts';
import { innerGraph } from '../definition/inner-graph.ts';
import { describeNode, fieldsOf } from '../definition/node-types/describe-node.ts';
import { NODE_NAMES } from '../expression/expression.ts';
import type { Bindings, Name } from '../expression/expression.ts';
import { parseMembers } from '../expression/template.ts';
import type { Compensate, NodeBehavior } from '../nodes/behavior.ts';
import type { NodeSettings } from '../nodes/node-settings.ts';
import { compileBehavior } from '../nodes/compile-behavior.ts';
import type { Breakpoints } from '../run/run.ts';
import { toMs } from '../values/duration.ts';
import { own } from '../values/json.ts';
import { createMemo } from '../values/memo.ts';
import { compileEdge } from './edges.ts';
import type { Outgoing, CompiledEdge } from './edges.ts';

/** A definition made ready to run: templates parsed, schemas compiled, edges sorted by source. */
export interface CompiledGraph {
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Those channels that fade after a superstep. */
  readonly ephemeral: readonly Channel[];
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  /** The edge entries that each node, or `__start__`, is a source of. */
  readonly outgoing: Outgoing;
  readonly hasSubgraphs: boolean;
  /** Here, or in a graph inside. */
  readonly hasDeadlines: boolean;
  /** Nodes to stop before and after; `*` is all of them. */
  readonly breakpoints: Breakpoints;
  readonly maxSteps: number;
  /** Channels that a run of it returns. */
  readonly output: readonly string[];
  /** The node that runs last when a run is canceled. */
  readonly onCancel: string | null;
}

export interface CompiledNode {
  readonly id: string;
  readonly type: NodeDefinition['type'];
  readonly behavior: NodeBehavior;
  /** It calls a model as it begins, which takes room in the budgets. */
  readonly asksModel: boolean;
  /** The graph inside a subgraph node. */
  readonly subgraph: CompiledGraph | null;
  readonly write: Writer;
  /** As `write`, after a command: there is no result that a channel could take whole. */
  readonly writeOfCommand: Writer;
  /** The call that takes back what the node's own call has done. */
  readonly compensate: Compensate | null;
  readonly onError: OnError;
  readonly maxVisits: number;
  /** `null`: there is none, or it is a matter of the node's calls. */
  readonly deadlineMs: number | null;
  readonly defer: boolean;
}

export type OnError =
  | { readonly kind: 'fail' }
  | { readonly kind: 'intervene' }
  | { readonly kind: 'goto'; readonly to: string; readonly write: Writer };

/**
 * Compiles a definition that `validateGraph` found no errors in.
 * @param catalog what the run pins of the installation: at least the tools, models and functions that the graph names
 */
export function compileGraph(definition: GraphDefinition, catalog: Catalog): CompiledGraph {
  const channels = new Map(
    Object.entries(definition.channels ?? {}).map(([name, channel]) => [name, compileChannel(name, channel)]),
  );
  const nodes = new Map(
    Object.entries(definition.nodes).map(([id, node]) => [id, compileNode(node, id, { definition, catalog })]),
  );
  const edges = definition.edges.map(compileEdge);
  return {
    definition,
    catalog,
    channels,
    ephemeral: [...channels.values()].filter(({ ephemeral }) => ephemeral),
    nodes,
    hasSubgraphs: [...nodes.values()].some(({ subgraph }) => subgraph !== null),
    hasDeadlines: [...nodes.values()].some(({ deadlineMs, subgraph }) => deadlineMs !== null || subgraph?.hasDeadlines),
    outgoing: bySource(edges),
    breakpoints: { before: definition.interruptBefore ?? [], after: definition.interruptAfter ?? [] },
    maxSteps: definition.limits?.maxSteps ?? catalog.defaults.maxSteps,
    output: definition.output ?? [...channels.keys()],
    onCancel: definition.onCancel ?? null,
  };
}

const shared = createMemo<CompiledGraph>(100);
/** In characters: the texts that graphs are known by take memory too. */
const MAX_SHARED = 100_000;

/** As `compileGraph`; runs of the same definition under the same catalog share one, unless it is very large. */
export function compileShared(definition: GraphDefinition, catalog: Catalog): CompiledGraph {
  const text = JSON.stringify([definition, catalog]);
  const compile = (): CompiledGraph => compileGraph(definition, catalog);
  return text.length > MAX_SHARED ? compile() : shared(text, compile);
}

function bySource(edges: readonly CompiledEdge[]): Outgoing {
  const outgoing = new Map<string, CompiledEdge[]>();
  for (const edge of edges) {
    for (const source of edge.sources) outgoing.set(source, [...(outgoing.get(source) ?? []), edge]);
  }
  return outgoing;
}

function compileNode(
  node: NodeDefinition,
  id: string,
  { definition, catalog }: Pick<CompiledGraph, 'definition' | 'catalog'>,
): CompiledNode {
  const graph = innerGraph(node);
  const subgraph = graph === null ? null : compileChild(graph, catalog);
  const scope: NodeSettings = { id, catalog, defaults: definition.defaults ?? {}, subgraph };
  const { uses, hasOwnDeadline } = describeNode(fieldsOf(node));
  const behavior = compileBehavior(node, scope);
  return {
    id,
    type: node.type,
    behavior,
    asksModel: uses?.models !== undefined,
    subgraph,
    write: compileWrite(node.write, [...NODE_NAMES, 'result'], 'write'),
    writeOfCommand: compileWrite(
      typeof node.write === 'string' ? undefined : node.write,
      [...NODE_NAMES, 'result'],
      'write',
    ),
    compensate: behavior.compensate ?? null,
    onError: compileOnError(node.onError),
    maxVisits: node.maxVisits ?? Number.POSITIVE_INFINITY,
    deadlineMs: hasOwnDeadline && node.deadline !== undefined ? toMs(node.deadline) : null,
    defer: node.defer ?? false,
  };
}

/** The published graphs of a catalog are compiled once, however many nodes name them. */
const compiled = new WeakMap<Catalog, Map<string, CompiledGraph>>();

function compileChild(graph: string | GraphDefinition, catalog: Catalog): CompiledGraph {
  if (typeof graph !== 'string') return compileGraph(graph, catalog);
  const ofCatalog = compiled.get(catalog) ?? new Map<string, CompiledGraph>();
  compiled.set(catalog, ofCatalog);
  const definition = own(catalog.graphs ?? {}, graph);
  if (!definition) throw new TypeError('The catalog has no graph of that name');
  const child = ofCatalog.get(graph) ?? compileGraph(definition, catalog);
  ofCatalog.set(graph, child);
  return child;
}

function compileOnError(onError: OnErrorDefinition | undefined): OnError {
  if (onError === undefined) return { kind: 'fail' };
  if (onError === 'intervene') return { kind: 'intervene' };
  return {
    kind: 'goto',
    to: onError.to,
    write: compileWrite(onError.write, [...NODE_NAMES, 'error'], 'onError.write'),
  };
}

/** Makes a node's update from its bindings, `result` or `error` among them. */
export type Writer = (bindings: Bindings) => Update;

/** Compiles `write`: a channel name takes the whole result, an object maps channels to templates. */
function compileWrite(write: WriteDefinition | undefined, names: readonly Name[], field: string): Writer {
  if (write === undefined) return () => ({});
  if (typeof write === 'string') return ({ result }) => ({ [write]: result ?? null });
  return parseMembers(write, names, (channel) => `${field}.${channel}`);
}
