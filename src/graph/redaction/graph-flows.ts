import { START } from '../definition/definition.ts';
import type { EdgeDefinition } from '../definition/definition.ts';
import { forEdge } from '../definition/edge-kinds.ts';
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
  for (const source of sourcesOf(edge)) {
    const { read, content } = parseExpression(source, NODE_NAMES).sources();
    for (const node of toList(edge.from)) flows.add(placesOf(read, reader), nodePlace(graph, node, 'error'));
    if ('forEach' in edge) flows.add(placesOf(content, reader), nodePlace(graph, edge.to, 'item'));
  }
}

function sourcesOf(edge: EdgeDefinition): readonly string[] {
  return forEdge<readonly string[]>(edge, {
    plain: () => [],
    branches: ({ branches }) => branches.flatMap(({ when }) => when ?? []),
    route: ({ route }) => [route],
    forEach: ({ forEach }) => [forEach],
  });
}
