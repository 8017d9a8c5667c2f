import type { ChannelDefinition, GraphDefinition } from '../graph/definition.ts';
import type { ValidGraph } from './graph-reference.ts';

/** The channels of a graph, and of the graphs inside it, whose values are hidden from most. */
export function redactedChannels({ definition, graphs }: ValidGraph): readonly string[] {
  const channels = [definition, ...Object.values(graphs)].flatMap(channelsIn);
  return [...new Set(channels.flatMap(([name, { redact }]) => (redact === true ? [name] : [])))];
}

function channelsIn({ channels = {}, nodes }: GraphDefinition): readonly (readonly [string, ChannelDefinition])[] {
  const inside = Object.values(nodes).flatMap((node) =>
    node.type === 'subgraph' && typeof node.graph !== 'string' ? channelsIn(node.graph) : [],
  );
  return [...Object.entries(channels), ...inside];
}
