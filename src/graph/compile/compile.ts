import { compileChannel } from '../channels/channel.ts';
import type { Channel, UpdateByChannel } from '../channels/channel.ts';
import { namesRoles } from '../channels/outside-messages.ts';
import type { Catalog } from '../definition/catalog.ts';
import type { DetourDefinition, OnErrorDefinition, WriteDefinition } from '../definition/common-fields.ts';
import type { GraphDefinition, NodeDefinition } from '../definition/definition.ts';
import { graphToolsOf, toToolEntry, toolGraph } from '../definition/graph-tools.ts';
import { innerGraph } from '../definition/node-types/describe-node.ts';
import { namedEntries, describeNode, nodeFields, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import { graphToolName } from '../definition/node-types/offered-tool.ts';
import type { GraphTool } from '../definition/node-types/offered-tool.ts';
import type { AbsentMembers } from '../expression/expression.ts';
import { ERROR_NAMES, RESULT_NAMES } from '../expression/names.ts';
import type { Bindings, ExpressionName } from '../expression/names.ts';
import { parseMembers } from '../expression/template.ts';
import type { Compensator, NodeBehavior } from '../nodes/behavior.ts';
import type { NodeSettings } from '../nodes/node-settings.ts';
import { compileBehavior } from '../nodes/node-compilers.ts';
import type { Breakpoints } from '../run/run.ts';
import { toMs } from '../values/time.ts';
import { own } from '../values/json.ts';
import { createMemo } from '../values/collections.ts';
import { compileEdge } from './edges.ts';
import { edgesBySource } from './static-edges.ts';
import type { Outgoing } from './edges.ts';
import type { NodePath, TaskReference } from '../run/ids.ts';

/** A definition with templates parsed, schemas compiled and edges sorted by source. */
export interface CompiledGraph {
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly channels: ReadonlyMap<string, Channel>;
  /** The channels whose values can be read only in the superstep after their write. */
  readonly ephemeral: readonly Channel[];
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  readonly outgoing: Outgoing;
  readonly hasSubgraphs: boolean;
  /** True if a node of this graph, or of a graph inside, has a `deadlineMs`. */
  readonly hasDeadlines: boolean;
  /** Nodes to stop before and after; `*` stands for all nodes. */
  readonly breakpoints: Breakpoints;
  readonly maxSteps: number;
  /** Channels whose values are the output of a run. */
  readonly output: readonly string[];
  /** The node that runs last when a run is canceled. */
  readonly onCancel: string | null;
  /** The node that runs last when a run fails. */
  readonly onFail: Detour | null;
}

export interface CompiledNode {
  readonly id: string;
  readonly type: NodeDefinition['type'];
  readonly behavior: NodeBehavior;
  /** True if a task's first call is to a model, which needs a reservation of the budgets. */
  readonly asksModel: boolean;
  /**
   * The graph inside a subgraph node, or the graph of the graphs that a node calls as tools; `null` for other nodes.
   */
  readonly subgraph: CompiledGraph | null;
  /** True if the graph inside consists of graphs that the node calls as tools. */
  readonly callsGraphs: boolean;
  readonly write: MakeUpdate;
  /** Like `write`, but for a command, which has no result that a channel could take whole. */
  readonly writeOfCommand: MakeUpdate;
  /** True if the result comes from outside the run: it is an event or a decision. */
  readonly hasOutsideResult: boolean;
  /** Channels to which the node writes messages whose roles the definition names as constants. */
  readonly rolesNamedFor: ReadonlySet<string>;
  /** Makes the call that compensates the node's own call. */
  readonly compensate: Compensator | null;
  readonly onError: OnError;
  readonly maxVisits: number;
  /** The node's own deadline in milliseconds; `null` if it has none, or if its `deadline` limits its calls. */
  readonly deadlineMs: number | null;
  readonly defer: boolean;
}

/** Makes the update of a node task. The bindings include `result` or `error`. @throws GraphError `EXPRESSION_FAILED` */
export type MakeUpdate = (bindings: Bindings) => UpdateByChannel;

/** The reaction to a node's failure. */
export type OnError = { readonly kind: 'fail' } | { readonly kind: 'intervene' } | ({ readonly kind: 'goto' } & Detour);

/** The node to continue with after an error, and what is written before. */
export interface Detour {
  readonly to: string;
  readonly write: MakeUpdate;
}

/**
 * Compiles a definition in which `validateGraph` finds no errors.
 * @param catalog the part of the installation that a run pins: at least the tools, models and functions of the graph
 */
export function compileGraph(definition: GraphDefinition, catalog: Catalog): CompiledGraph {
  const conversations = readConversationChannels(definition);
  const channels = new Map(
    Object.entries(definition.channels ?? {}).map(([name, channel]) => [
      name,
      compileChannel(name, channel, conversations.has(name)),
    ]),
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
    outgoing: edgesBySource(edges),
    breakpoints: { before: definition.interruptBefore ?? [], after: definition.interruptAfter ?? [] },
    maxSteps: definition.limits?.maxSteps ?? catalog.defaults.maxSteps,
    output: definition.output ?? [...channels.keys()],
    onCancel: definition.onCancel ?? null,
    onFail: definition.onFail === undefined ? null : compileDetour(toDetour(definition.onFail), 'onFail.write'),
  };
}

/** Returns the channels whose messages a node reads. */
function readConversationChannels({ nodes }: GraphDefinition): ReadonlySet<string> {
  const fields = fieldsOfKind('conversations');
  return new Set(Object.values(nodes).flatMap((node) => namedEntries(node, fields)));
}

/**
 * Like `compileGraph`, but runs of the same definition and catalog share one compiled graph, unless it is very large.
 */
export function compileShared(definition: GraphDefinition, catalog: Catalog): CompiledGraph {
  const text = JSON.stringify([definition, catalog]);
  const compile = (): CompiledGraph => compileGraph(definition, catalog);
  return text.length > MAX_SHARED_LENGTH ? compile() : sharedGraphs(text, compile);
}

const sharedGraphs = createMemo<CompiledGraph>({ maxEntries: 100, maxSize: 1_000_000 });

/** In characters of JSON. The texts are the keys of the memo and take memory. */
const MAX_SHARED_LENGTH = 100_000;

function compileNode(
  node: NodeDefinition,
  id: string,
  { definition, catalog }: Pick<CompiledGraph, 'definition' | 'catalog'>,
): CompiledNode {
  const { nodes, defaults = {} } = definition;
  const inside = compileInside(node, { definition, catalog });
  const graphTools = compileGraphTools(graphToolsOf(node, nodes), catalog);
  const settings: NodeSettings = { id, catalog, nodes, defaults, subgraph: inside.subgraph, graphTools };
  const { uses, hasOwnDeadline, mayWait, isDecision } = describeNode(nodeFields(node));
  const behavior = compileBehavior(node, settings);
  return {
    id,
    type: node.type,
    behavior,
    asksModel: uses?.models !== undefined,
    ...inside,
    write: compileWrite(node.write, RESULT_NAMES, 'write', isDecision === true ? 'decision' : 'strict'),
    writeOfCommand: compileWrite(typeof node.write === 'string' ? undefined : node.write, RESULT_NAMES, 'write'),
    hasOutsideResult: mayWait === true,
    rolesNamedFor: rolesNamedIn(node.write),
    compensate: behavior.compensate ?? null,
    onError: compileOnError(node.onError),
    maxVisits: node.maxVisits ?? Number.POSITIVE_INFINITY,
    deadlineMs: hasOwnDeadline && node.deadline !== undefined ? toMs(node.deadline) : null,
    defer: node.defer ?? false,
  };
}

/** Compiles the graph inside a node, or the graph of the graphs that it calls as tools. */
function compileInside(
  node: NodeDefinition,
  { definition, catalog }: Pick<CompiledGraph, 'definition' | 'catalog'>,
): Pick<CompiledNode, 'subgraph' | 'callsGraphs'> {
  const called = toolGraph(node, definition.nodes);
  const graph = innerGraph(node) ?? called;
  return { subgraph: graph === null ? null : compileInnerGraph(graph, catalog), callsGraphs: called !== null };
}

/** The compiled published graphs of each catalog: several nodes may name one. */
const publishedGraphs = new WeakMap<Catalog, Map<string, CompiledGraph>>();

function compileInnerGraph(graph: string | GraphDefinition, catalog: Catalog): CompiledGraph {
  if (typeof graph !== 'string') return compileGraph(graph, catalog);
  const compiled = publishedGraphs.get(catalog) ?? new Map<string, CompiledGraph>();
  publishedGraphs.set(catalog, compiled);
  const definition = own(catalog.graphs ?? {}, graph);
  if (!definition) throw new TypeError('The catalog has no graph of that name');
  const subgraph = compiled.get(graph) ?? compileGraph(definition, catalog);
  compiled.set(graph, subgraph);
  return subgraph;
}

function compileGraphTools(tools: readonly GraphTool[], catalog: Catalog): NodeSettings['graphTools'] {
  const compiled = tools.map((tool) => {
    const channels = compileInnerGraph(tool.graph, catalog);
    const entry = toToolEntry(channels.definition, tool);
    return [graphToolName(tool), { reference: tool.graph, entry, channels }] as const;
  });
  return Object.fromEntries(compiled);
}

function compileOnError(onError: OnErrorDefinition | undefined): OnError {
  if (onError === undefined) return { kind: 'fail' };
  if (onError === 'intervene') return { kind: 'intervene' };
  return { kind: 'goto', ...compileDetour(onError, 'onError.write') };
}

function compileDetour({ to, write }: DetourDefinition, field: string): Detour {
  return { to, write: compileWrite(write, ERROR_NAMES, field) };
}

function toDetour(onFail: string | DetourDefinition): DetourDefinition {
  return typeof onFail === 'string' ? { to: onFail } : onFail;
}

function rolesNamedIn(write: WriteDefinition | undefined): ReadonlySet<string> {
  if (write === undefined || typeof write === 'string') return new Set();
  return new Set(Object.keys(write).filter((channel) => namesRoles(write[channel] ?? null)));
}

/** Compiles `write`: a channel name takes the whole result, an object maps channels to templates. */
function compileWrite(
  write: WriteDefinition | undefined,
  names: readonly ExpressionName[],
  field: string,
  reading: AbsentMembers = 'strict',
): MakeUpdate {
  if (write === undefined) return () => ({});
  if (typeof write === 'string') return ({ result }) => ({ [write]: result ?? null });
  return parseMembers(write, names, (channel) => `${field}.${channel}`, reading);
}

/** Finds a node of a graph, or of a graph inside it. @returns `null` if there is none */
export function findNode(
  graph: CompiledGraph,
  { node, path = [] }: Pick<TaskReference, 'node' | 'path'>,
): CompiledNode | null {
  return findGraph(graph, path)?.nodes.get(node) ?? null;
}

/** Finds the graph inside some nodes. @returns `null` if there is none */
export function findGraph(graph: CompiledGraph, path: NodePath): CompiledGraph | null {
  let inner: CompiledGraph | null | undefined = graph;
  for (const around of path) inner = inner?.nodes.get(around)?.subgraph;
  return inner ?? null;
}
