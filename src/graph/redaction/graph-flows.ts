import { START } from '../definition/definition.ts';
import type { EdgeDefinition } from '../definition/definition.ts';
import { forEdge } from '../definition/edge-kinds.ts';
import type { EdgeTable } from '../definition/edge-kinds.ts';
import { NODE_NAMES, parseExpression } from '../expression/expression.ts';
import { toList } from '../values/collections.ts';
import type { Flows } from './flows.ts';
import type { GraphPart } from './graph-parts.ts';
import { addNodeFlows } from './node-flows.ts';
import { channelPlace, nodePlace, placesOf, startErrorPlace, statePlace } from './places.ts';

/** Adds the ways that values take in a graph. */
export function addGraphFlows(flows: Flows, { id, definition, nodes }: GraphPart): void {
  const { channels = {}, edges, input } = definition;
  const places = Object.keys(channels).map((channel) => channelPlace(id, channel));
  flows.add(places, statePlace(id));
  flows.add(input ? input.map((channel) => channelPlace(id, channel)) : places, startErrorPlace(id));
  for (const edge of edges) addEdge(flows, id, edge);
  for (const [node, part] of nodes) addNodeFlows(flows, { graph: id, id: node, ...part });
}

/** An edge that fails is an error of its sources. The elements of a list are the items of its target. */
function addEdge(flows: Flows, graph: string, edge: EdgeDefinition): void {
  const reader = { graph, node: START, hasParts: false };
  const { expressions, itemsOf } = forEdge(edge, READS);
  for (const source of expressions) {
    const { read, content } = parseExpression(source, NODE_NAMES).sources();
    for (const node of toList(edge.from)) flows.add(placesOf(read, reader), nodePlace(graph, node, 'error'));
    if (itemsOf !== null) flows.add(placesOf(content, reader), nodePlace(graph, itemsOf, 'item'));
  }
}

interface Reads {
  readonly expressions: readonly string[];
  /** The node whose items are the elements of the expressions' lists. */
  readonly itemsOf: string | null;
}

const READS: EdgeTable<Reads> = {
  plain: () => ({ expressions: [], itemsOf: null }),
  branches: ({ branches }) => ({ expressions: branches.flatMap(({ when }) => when ?? []), itemsOf: null }),
  route: ({ route }) => ({ expressions: [route], itemsOf: null }),
  forEach: ({ forEach, to }) => ({ expressions: [forEach], itemsOf: to }),
};
