import type { NodePath } from '../run/ids.ts';
import { own } from '../values/json.ts';
import type { GraphRedaction, NodeRedaction, Redaction } from './redaction.ts';

const NOTHING: GraphRedaction = { channels: [], nodes: {} };

/** Returns what is hidden of the graph inside some nodes, outermost first; of none: of the run's own graph. */
export function graphAt(redaction: Redaction, path: NodePath): GraphRedaction {
  return path.reduce<GraphRedaction>((graph, node) => {
    const { inside } = own(graph.nodes, node) ?? {};
    return (typeof inside === 'string' ? own(redaction.graphs, inside) : inside) ?? NOTHING;
  }, redaction);
}

/** Returns what is hidden of all nodes of a name, for readers that know no more of a node. */
export function nodesNamed(redaction: Redaction, name: string): readonly NodeRedaction[] {
  return graphsIn(redaction).flatMap(({ nodes }) => own(nodes, name) ?? []);
}

/** Returns what is hidden of every graph of a run. */
export function graphsIn(redaction: Redaction): readonly GraphRedaction[] {
  const graphs: GraphRedaction[] = [redaction, ...Object.values(redaction.graphs)];
  for (const { nodes } of graphs)
    for (const { inside } of Object.values(nodes)) if (typeof inside === 'object') graphs.push(inside);
  return graphs;
}
