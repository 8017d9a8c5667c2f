import type { Expression } from '../expression/expression.ts';
import { expressionsIn } from './filled.ts';
import type { Filled } from './filled.ts';
import type { Flows } from './flows.ts';
import { outputOf } from './graph-parts.ts';
import type { NodePart } from './graph-parts.ts';
import { channelsWrittenBy } from './node-texts.ts';
import type { NodeTexts } from './node-texts.ts';
import { channelPlace, isOfResult, nodePlace, placesOf, startErrorPlace } from './places.ts';
import type { Reader } from './places.ts';

/** A node of a graph, and the id of the graph. */
export interface PlacedNode extends NodePart {
  readonly graph: string;
  readonly id: string;
}

/** The reader of a node's own expressions. */
export function readerOf({ graph, id, inside, texts }: PlacedNode): Reader {
  return { graph, node: id, hasParts: inside !== null || texts.description.carries !== undefined };
}

/** Adds the ways that values take in a node: into its call, its result, its writes, its errors and the graph inside. */
export function addNodeFlows(flows: Flows, node: PlacedNode): void {
  addInput(flows, node);
  addResult(flows, node);
  addAnswer(flows, node);
  addWrites(flows, node);
  addErrors(flows, node);
}

/** The places that a field is filled from; of one that names a conversation, its channel. */
function placesInField(node: PlacedNode, field: string): readonly string[] {
  const { fields, conversations } = node.texts;
  const channel = conversations.get(field);
  return channel === undefined ? contentOf(node, fields.get(field) ?? null) : [channelPlace(node.graph, channel)];
}

/** All that the call of a node is given: a model is told the results of graphs, too. */
function givenTo(node: PlacedNode): readonly string[] {
  const { fields, conversations } = node.texts;
  return [
    ...[...fields.keys(), ...conversations.keys()].flatMap((field) => placesInField(node, field)),
    ...toldBy(node),
  ];
}

/** The results and errors of the graphs that a node calls as tools. */
function toldBy(node: PlacedNode): readonly string[] {
  return placesOfGraphTools(node, 'result', 'error');
}

function placesOfGraphTools(
  { inside, texts: { description } }: PlacedNode,
  ...parts: readonly ('item' | 'result' | 'error')[]
): readonly string[] {
  if (!inside || description.graph) return [];
  return Object.keys(inside.definition.nodes).flatMap((tool) => parts.map((part) => nodePlace(inside.id, tool, part)));
}

function contentOf(node: PlacedNode, filled: Filled | null): readonly string[] {
  const reader = readerOf(node);
  return expressionsIn(filled).flatMap(({ sources }) => placesOf(sources().content, reader));
}

function addInput(flows: Flows, node: PlacedNode): void {
  const { inside, texts } = node;
  for (const args of placesOfGraphTools(node, 'item')) flows.add(givenTo(node), args);
  const input = texts.description.graph && texts.fields.get(texts.description.graph.input);
  if (!inside || input?.kind !== 'object') return;
  for (const [channel, value] of Object.entries(input.parts))
    flows.add(contentOf(node, value), channelPlace(inside.id, channel));
}

function addResult(flows: Flows, node: PlacedNode): void {
  const part = (name: string): string => nodePlace(node.graph, node.id, name);
  const members = membersOf(node);
  for (const [member, from] of members ?? []) {
    flows.add(from, part(`result.${member}`));
    flows.add([part(`result.${member}`)], part('result'));
  }
  const given = givenTo(node);
  if (!members) flows.add(given, part('result'));
  flows.add(given, part('calls'));
}

/** What another run's node was answered may be in every member of the result, in what a model asks for, and in errors. */
function addAnswer(flows: Flows, node: PlacedNode): void {
  const part = (name: string): string => nodePlace(node.graph, node.id, name);
  const read = expressionsOf(node.texts).flatMap(({ sources }) => [...sources().read].filter(isOfResult));
  const conversations = [...node.texts.conversations.values()].map((name) => channelPlace(node.graph, name));
  const parts = [part('result'), part('calls'), part('error'), ...placesOf(read, readerOf(node))];
  for (const place of [...parts, ...conversations, ...placesOfGraphTools(node, 'item')])
    flows.add([part('answer')], place);
}

/** The members of a node's result, with the places that they come from; `null`: the result has no known members. */
function membersOf(node: PlacedNode): readonly (readonly [string, readonly string[]])[] | null {
  const { inside, texts } = node;
  if (inside && texts.description.graph)
    return outputOf(inside.definition).map((name) => [name, [channelPlace(inside.id, name)]]);
  const { carries } = texts.description;
  if (!carries) return null;
  return Object.entries(carries).map(([name, fields]) => [
    name,
    [...fields.flatMap((field) => placesInField(node, field)), ...toldBy(node)],
  ]);
}

function addWrites(flows: Flows, node: PlacedNode): void {
  const { graph, id, texts } = node;
  const channel = (name: string): string => channelPlace(graph, name);
  if (texts.resultTo !== null) flows.add([nodePlace(graph, id, 'result')], channel(texts.resultTo));
  for (const [name, value] of [...texts.writes, ...texts.errorWrites]) flows.add(contentOf(node, value), channel(name));
  for (const name of texts.conversations.values()) flows.add(givenTo(node), channel(name));
}

/** An error may quote all that is read, and what its writes meet in the channels. */
function addErrors(flows: Flows, node: PlacedNode): void {
  const { graph, id, inside, texts } = node;
  const error = nodePlace(graph, id, 'error');
  const reader = readerOf(node);
  for (const { sources } of expressionsOf(texts)) flows.add(placesOf(sources().read, reader), error);
  for (const channel of channelsWrittenBy(texts)) flows.add([channelPlace(graph, channel)], error);
  if (!inside) return;
  flows.add([startErrorPlace(inside.id)], error);
  for (const inner of Object.keys(inside.definition.nodes)) flows.add([nodePlace(inside.id, inner, 'error')], error);
}

function expressionsOf(texts: NodeTexts): readonly Expression[] {
  const { fields, laterFields, writes, errorWrites, rules } = texts;
  const filled = [fields, laterFields, writes, errorWrites].flatMap((part) => [...part.values()]);
  return [...filled.flatMap(expressionsIn), ...rules];
}
