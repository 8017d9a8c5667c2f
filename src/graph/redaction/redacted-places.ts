import { own } from '../values/json.ts';
import { nodesWithEvents, ROOT } from './graph-parts.ts';
import type { GraphPart } from './graph-parts.ts';
import type { Inherited } from './inherited.ts';
import { channelPlace, nodePlace } from './places.ts';
import type { GraphRedaction, NodeRedaction } from './redaction.ts';

type Parts = ReadonlyMap<string, GraphPart>;

/** Returns the places whose values are hidden before any is followed: by the definition, or in another run. */
export function redactedPlaces(parts: Parts, inherited: Inherited): ReadonlySet<string> {
  const { channels = [], items = [], events = false } = inherited;
  return new Set([
    ...[...parts.values()].flatMap(redactedChannels),
    ...channels.map((channel) => channelPlace(ROOT, channel)),
    ...items.map((node) => nodePlace(ROOT, node, 'item')),
    ...(events ? [...parts.values()].flatMap(answersByEvents) : []),
    ...answerPlaces(parts, inherited),
  ]);
}

function redactedChannels({ id, definition: { channels = {} } }: GraphPart): readonly string[] {
  return Object.entries(channels).flatMap(([name, { redact }]) => (redact === true ? [channelPlace(id, name)] : []));
}

function answersByEvents(part: GraphPart): readonly string[] {
  return nodesWithEvents(part).map((node) => nodePlace(part.id, node, 'answer'));
}

/** The parts of a node that hold what is hidden of the same node in another run. */
const PARTS: Partial<Readonly<Record<keyof NodeRedaction, readonly string[]>>> = {
  calls: ['answer'],
  result: ['answer'],
  values: ['answer', 'values'],
  undone: ['undone'],
  error: ['error'],
};

/** Nodes get the answers of those that have the same names, inside of nodes with the same names. */
function answerPlaces(parts: Parts, { nodes = {}, graphs = {} }: Inherited): readonly string[] {
  const places: string[] = [];
  const met = new Map<GraphPart, Set<GraphRedaction>>();
  const meet = (part: GraphPart, graph: GraphRedaction): void => {
    const metThere = met.get(part) ?? new Set();
    if (metThere.has(graph)) return;
    met.set(part, metThere.add(graph));
    for (const [node, hidden] of Object.entries(graph.nodes)) {
      places.push(...partsOf(hidden).map((name) => nodePlace(part.id, node, name)));
      const inside = part.nodes.get(node)?.inside;
      const innerPart = inside && parts.get(inside.id);
      const inner = typeof hidden.inside === 'string' ? own(graphs, hidden.inside) : hidden.inside;
      if (innerPart && inner) meet(innerPart, inner);
    }
  };
  const root = parts.get(ROOT);
  if (root) meet(root, { channels: [], nodes });
  return places;
}

function partsOf(hidden: NodeRedaction): readonly string[] {
  return Object.entries(PARTS).flatMap(([flag, names]) => (Object.hasOwn(hidden, flag) ? names : []));
}
