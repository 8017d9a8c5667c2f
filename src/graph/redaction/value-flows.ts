import { parseExpression } from '../expression/expression.ts';
import { ERROR_NAMES, NODE_NAMES } from '../expression/names.ts';
import type { Expression } from '../expression/expression.ts';
import { expressionsOfTemplate, outputChannels, channelsWrittenBy, readTemplates } from './graph-parts.ts';
import type { ParsedTemplate, NodePart, NodeTexts, GraphPart } from './graph-parts.ts';
import { START, forEdge, targetsOfForEach } from '../definition/definition.ts';
import type { EdgeDefinition, EdgeTable, GraphDefinition } from '../definition/definition.ts';
import { toList } from '../values/collections.ts';
import type { ValueSource } from '../expression/references.ts';
import { own } from '../values/json.ts';

/** A node of a graph, and the id of the graph. */
export interface LocatedNode extends NodePart {
  readonly graph: string;
  readonly id: string;
}

/** Returns the context in which a node's own expressions are analyzed. */
export function readingNodeOf({ graph, id, inside, texts }: LocatedNode): ReadingNode {
  return { graph, node: id, hasParts: inside !== null || texts.description.carries !== undefined };
}

/** Adds the flows of values in a node: into its call, its result, its writes, its errors and the graph inside. */
function addNodeFlows(flows: ValueFlows, node: LocatedNode): void {
  addInput(flows, node);
  addResult(flows, node);
  addAnswer(flows, node);
  addWrites(flows, node);
  addErrors(flows, node);
}

/** Returns the locations that a field is filled from; for a field that names a conversation, its channel. */
function locationsInField(node: LocatedNode, field: string): readonly string[] {
  const { fields, conversations } = node.texts;
  const channel = conversations.get(field);
  return channel === undefined
    ? resultSources(node, fields.get(field) ?? null)
    : [channelLocation(node.graph, channel)];
}

/** Returns the locations of everything that a node's call receives. A model also receives the results of graphs. */
function inputsOfCall(node: LocatedNode): readonly string[] {
  const { fields, conversations } = node.texts;
  return [
    ...[...fields.keys(), ...conversations.keys()].flatMap((field) => locationsInField(node, field)),
    ...outcomesOfGraphTools(node),
  ];
}

/** Returns the locations of the results and errors of the graphs that a node calls as tools. */
function outcomesOfGraphTools(node: LocatedNode): readonly string[] {
  return locationsOfGraphTools(node, 'result', 'error');
}

function locationsOfGraphTools(
  { inside, texts: { description } }: LocatedNode,
  ...parts: readonly ('item' | 'result' | 'error')[]
): readonly string[] {
  if (!inside || description.graph) return [];
  return Object.keys(inside.definition.nodes).flatMap((tool) =>
    parts.map((part) => nodeLocation(inside.id, tool, part)),
  );
}

/** Returns the locations that a node's fixed arguments are filled from: the answers of their tools may hold them. */
function locationsInFixedArguments(node: LocatedNode): readonly string[] {
  const tools = node.texts.fields.get('tools');
  if (tools?.kind !== 'list') return [];
  return Object.values(tools.parts).flatMap((tool) =>
    tool.kind === 'object' ? resultSources(node, own(tool.parts, 'args') ?? null) : [],
  );
}

function resultSources(node: LocatedNode, filled: ParsedTemplate | null): readonly string[] {
  const reader = readingNodeOf(node);
  return expressionsOfTemplate(filled).flatMap(({ sources }) => locationsOfSources(sources().content, reader));
}

function addInput(flows: ValueFlows, node: LocatedNode): void {
  const { inside, texts } = node;
  for (const args of locationsOfGraphTools(node, 'item')) flows.add(inputsOfCall(node), args);
  const input = texts.description.graph && texts.fields.get(texts.description.graph.input);
  if (!inside || input?.kind !== 'object') return;
  for (const [channel, value] of Object.entries(input.parts))
    flows.add(resultSources(node, value), channelLocation(inside.id, channel));
}

function addResult(flows: ValueFlows, node: LocatedNode): void {
  const part = (name: string): string => nodeLocation(node.graph, node.id, name);
  const members = resultMembers(node);
  for (const [member, from] of members ?? []) {
    flows.add(from, part(`result.${member}`));
    flows.add([part(`result.${member}`)], part('result'));
  }
  const given = inputsOfCall(node);
  if (!members) flows.add(given, part('result'));
  flows.add(given, part('calls'));
}

/**
 * Adds flows from the answers to another run's node: to every member of the result, to the calls that a model requests,
 * and to errors.
 */
function addAnswer(flows: ValueFlows, node: LocatedNode): void {
  const part = (name: string): string => nodeLocation(node.graph, node.id, name);
  const read = expressionsOfNode(node.texts).flatMap(({ sources }) => [...sources().read].filter(readsResult));
  const conversations = [...node.texts.conversations.values()].map((name) => channelLocation(node.graph, name));
  const parts = [part('result'), part('calls'), part('error'), ...locationsOfSources(read, readingNodeOf(node))];
  for (const location of [...parts, ...conversations, ...locationsOfGraphTools(node, 'item')])
    flows.add([part('answer')], location);
}

/**
 * Returns the members of a node's result with the locations that they come from; `null` if the result has no known
 * members.
 */
function resultMembers(node: LocatedNode): readonly (readonly [string, readonly string[]])[] | null {
  const { inside, texts } = node;
  if (inside && texts.description.graph)
    return outputChannels(inside.definition).map((name) => [name, [channelLocation(inside.id, name)]]);
  const { carries } = texts.description;
  if (!carries) return null;
  const answers = [...outcomesOfGraphTools(node), ...locationsInFixedArguments(node)];
  return Object.entries(carries).map(([name, fields]) => [
    name,
    [...fields.flatMap((field) => locationsInField(node, field)), ...answers],
  ]);
}

function addWrites(flows: ValueFlows, node: LocatedNode): void {
  const { graph, id, texts } = node;
  const channel = (name: string): string => channelLocation(graph, name);
  if (texts.resultTo !== null) flows.add([nodeLocation(graph, id, 'result')], channel(texts.resultTo));
  for (const [name, value] of [...texts.writes, ...texts.errorWrites])
    flows.add(resultSources(node, value), channel(name));
  for (const name of texts.conversations.values()) flows.add(inputsOfCall(node), channel(name));
}

/** Adds flows to errors, which may quote everything that the node reads, and the channels that it writes. */
function addErrors(flows: ValueFlows, node: LocatedNode): void {
  const { graph, id, inside, texts } = node;
  const error = nodeLocation(graph, id, 'error');
  const reader = readingNodeOf(node);
  for (const { sources } of expressionsOfNode(texts)) flows.add(locationsOfSources(sources().read, reader), error);
  for (const channel of channelsWrittenBy(texts)) flows.add([channelLocation(graph, channel)], error);
  if (!inside) return;
  flows.add([startErrorLocation(inside.id)], error);
  for (const inner of Object.keys(inside.definition.nodes)) flows.add([nodeLocation(inside.id, inner, 'error')], error);
}

function expressionsOfNode(texts: NodeTexts): readonly Expression[] {
  const { fields, laterFields, writes, errorWrites, rules } = texts;
  const filled = [fields, laterFields, writes, errorWrites].flatMap((part) => [...part.values()]);
  return [...filled.flatMap(expressionsOfTemplate), ...rules];
}

/** The flows of values between the locations of a run, as a graph of location names. */
export class ValueFlows {
  readonly #targets = new Map<string, Set<string>>();

  /** Adds a flow: the content of each of the first locations may reach the other one. */
  add(from: Iterable<string>, to: string): void {
    for (const location of from) {
      const targets = this.#targets.get(location) ?? new Set();
      this.#targets.set(location, targets.add(to));
    }
  }

  /** Returns all locations that the content of given locations may reach, including these. */
  reach(locations: Iterable<string>): ReadonlySet<string> {
    const reached = new Set(locations);
    for (const location of reached) for (const target of this.#targets.get(location) ?? []) reached.add(target);
    return reached;
  }
}

/** Adds the flows of values in a graph. */
export function addGraphFlows(flows: ValueFlows, { id, definition, nodes }: GraphPart): void {
  const { channels = {}, edges, input } = definition;
  const locations = Object.keys(channels).map((channel) => channelLocation(id, channel));
  flows.add(locations, stateLocation(id));
  flows.add(input ? input.map((channel) => channelLocation(id, channel)) : locations, startErrorLocation(id));
  for (const edge of edges) addEdge(flows, id, edge);
  for (const [node, part] of nodes) addNodeFlows(flows, { graph: id, id: node, ...part });
  addOnFail(flows, id, definition);
}

/** Adds the flows of `onFail`: any error of the run may reach its writes, and what they read may reach its node's error. */
function addOnFail(flows: ValueFlows, graph: string, { onFail, nodes }: GraphDefinition): void {
  if (typeof onFail !== 'object') return;
  const { to, write } = onFail;
  const errors = [startErrorLocation(graph), ...Object.keys(nodes).map((node) => nodeLocation(graph, node, 'error'))];
  const failing = { graph, node: START, hasParts: false };
  for (const [name, value] of readTemplates(write, ERROR_NAMES)) {
    const channel = channelLocation(graph, name);
    flows.add([channel], nodeLocation(graph, to, 'error'));
    for (const { sources } of expressionsOfTemplate(value)) {
      const { content, read } = sources();
      const quotes = [...content].some((source) => source === 'error' || source === 'error.message');
      flows.add([...locationsOfSources(content, failing), ...(quotes ? errors : [])], channel);
      flows.add(locationsOfSources(read, failing), nodeLocation(graph, to, 'error'));
    }
  }
}

/**
 * Adds the flows of an edge. If the edge fails, its sources get the error. The elements of a list become the items of
 * its target.
 */
function addEdge(flows: ValueFlows, graph: string, edge: EdgeDefinition): void {
  const reader = { graph, node: START, hasParts: false };
  const { expressions, itemsOf } = forEdge(edge, READS);
  for (const source of expressions) {
    const { read, content } = parseExpression(source, NODE_NAMES).sources();
    for (const node of toList(edge.from))
      flows.add(locationsOfSources(read, reader), nodeLocation(graph, node, 'error'));
    for (const node of itemsOf) flows.add(locationsOfSources(content, reader), nodeLocation(graph, node, 'item'));
  }
}

interface ReadValues {
  readonly expressions: readonly string[];
  /** The nodes whose items are the elements of the lists. */
  readonly itemsOf: readonly string[];
}

const READS: EdgeTable<ReadValues> = {
  plain: () => ({ expressions: [], itemsOf: [] }),
  branches: ({ branches }) => ({ expressions: branches.flatMap(({ when }) => when ?? []), itemsOf: [] }),
  route: ({ route }) => ({ expressions: [route], itemsOf: [] }),
  forEach: (edge) => ({ expressions: [edge.forEach], itemsOf: targetsOfForEach(edge).flatMap(toList) }),
};

/*
 * A location holds a value during a run: a channel, the item, the arguments, the result or the error of a node. Names
 * of nodes and channels contain no `|` and no `/`, so these are safe separators.
 */

export function channelLocation(graph: string, channel: string): string {
  return `${graph}|state.${channel}`;
}

/** Returns the location of all channels together. */
function stateLocation(graph: string): string {
  return `${graph}|state`;
}

/**
 * Returns the location of a part of a node: `result` or a member of it, `item`, `calls`, `error`, `values` (of
 * decisions), or `undone` (the result of its compensation). `answer` is everything that it takes over from another run.
 */
export function nodeLocation(graph: string, node: string, part: string): string {
  return `${graph}|${node}|${part}`;
}

/** Returns the location of the errors of a graph that belong to no node: those of its input and its first edges. */
export function startErrorLocation(graph: string): string {
  return nodeLocation(graph, START, 'error');
}

/** A node whose expressions are analyzed. With `hasParts`, the members of its result are separate locations. */
export interface ReadingNode {
  readonly graph: string;
  readonly node: string;
  readonly hasParts: boolean;
}

/** True for the result of a node, or a member of it. */
export function readsResult(source: ValueSource): boolean {
  return source === 'result' || source.startsWith('result.');
}

/** Returns the locations that the sources of an expression refer to. Sources that are never redacted have none. */
export function locationsOfSources(sources: Iterable<ValueSource>, reader: ReadingNode): readonly string[] {
  return [...sources].flatMap((source) => {
    const [name = ''] = source.split('.', 1);
    return own(LOCATIONS, name)?.(source, reader) ?? [];
  });
}

const LOCATIONS: Readonly<Record<string, (source: ValueSource, reader: ReadingNode) => readonly string[]>> = {
  state: (source, { graph }) => [`${graph}|${source}`],
  item: (_source, { graph, node }) => [nodeLocation(graph, node, 'item')],
  args: (_source, { graph, node }) => [nodeLocation(graph, node, 'calls')],
  result: (source, { graph, node, hasParts }) => [nodeLocation(graph, node, hasParts ? source : 'result')],
  error: (source, { graph, node }) =>
    source === 'error' || source === 'error.message' ? [nodeLocation(graph, node, 'error')] : [],
};
