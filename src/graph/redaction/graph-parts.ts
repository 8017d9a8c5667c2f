import type { Catalog } from '../definition/catalog.ts';
import type { GraphDefinition } from '../definition/definition.ts';
import { toolGraph } from '../definition/graph-tools.ts';
import { innerGraph } from '../definition/inner-graph.ts';
import { describeNode, fieldsOf } from '../definition/node-types/describe-node.ts';
import { own } from '../values/json.ts';
import { readNodeTexts } from './node-texts.ts';
import type { NodeTexts } from './node-texts.ts';

/** A graph of a run: its own, an inline one, or a published one, which counts once wherever it runs. */
export interface GraphPart {
  /** Its prefix in the names of places. */
  readonly id: string;
  readonly definition: GraphDefinition;
  readonly nodes: ReadonlyMap<string, NodePart>;
}

export interface NodePart {
  readonly texts: NodeTexts;
  readonly inside: Inside | null;
}

/** The graph inside a node. */
export interface Inside {
  readonly id: string;
  /** `null`: it is inline. */
  readonly reference: string | null;
  readonly definition: GraphDefinition;
}

/** A definition with the published graphs that it may name. */
export interface PinnedDefinition {
  readonly definition: GraphDefinition;
  readonly catalog: Pick<Catalog, 'graphs'>;
}

/** The id of a run's own graph. */
export const ROOT = '';

/** Reads a definition and all graphs inside, by their ids. */
export function readGraphParts({ definition, catalog: { graphs = {} } }: PinnedDefinition): Map<string, GraphPart> {
  const parts = new Map<string, GraphPart>();
  const toRead: Omit<Inside, 'reference'>[] = [{ id: ROOT, definition }];
  for (const { id, definition: graph } of toRead) {
    if (parts.has(id)) continue;
    const nodes = new Map(
      Object.entries(graph.nodes).map(([name, node]) => {
        const inner = innerGraph(node) ?? toolGraph(node, graph.nodes, graphs);
        return [name, { texts: readNodeTexts(node), inside: readInside(inner, `${id}/${name}`, graphs) }];
      }),
    );
    parts.set(id, { id, definition: graph, nodes });
    toRead.push(...[...nodes.values()].flatMap(({ inside }) => inside ?? []));
  }
  return parts;
}

function readInside(
  graph: string | GraphDefinition | null,
  inlineId: string,
  published: Readonly<Record<string, GraphDefinition>>,
): Inside | null {
  if (graph === null) return null;
  if (typeof graph !== 'string') return { id: inlineId, reference: null, definition: graph };
  const definition = own(published, graph);
  return definition ? { id: `@${graph}`, reference: graph, definition } : null;
}

/** Returns the channels whose values are the output of a graph. */
export function outputOf({ output, channels = {} }: GraphDefinition): readonly string[] {
  return output ?? Object.keys(channels);
}

/** Returns the nodes of a graph that wait for events. */
export function nodesWithEvents({ definition: { nodes } }: GraphPart): readonly string[] {
  return Object.entries(nodes).flatMap(([name, node]) => {
    const { shown } = describeNode(fieldsOf(node));
    return shown?.event?.some((field) => Object.hasOwn(node, field)) ? [name] : [];
  });
}
