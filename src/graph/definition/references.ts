import { isJsonObject, isJsonList } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { GraphDefinition } from './definition.ts';

/** The published graphs that the subgraph nodes of a definition name, in its inline graphs too. */
export function referencesIn(definition: Json): readonly string[] {
  const found = new Set<string>();
  collect(definition, found);
  return [...found];
}

function collect(definition: Json, found: Set<string>): void {
  for (const [, node] of subgraphNodes(definition)) {
    const { graph = null } = node;
    if (typeof graph === 'string') found.add(graph);
    else collect(graph, found);
  }
}

function subgraphNodes(definition: Json): readonly (readonly [string, JsonObject])[] {
  const nodes = isJsonObject(definition) ? definition['nodes'] : undefined;
  if (!isJsonObject(nodes)) return [];
  return Object.entries(nodes).flatMap(([id, node]) =>
    isJsonObject(node) && node['type'] === 'subgraph' ? [[id, node] as const] : [],
  );
}

/** The definition with every reference to a published graph replaced, in its inline graphs too. */
export function replaceReferences(definition: JsonObject, replace: (reference: string) => string): JsonObject {
  const { nodes } = definition;
  const changed = subgraphNodes(definition).map(([id, node]): [string, Json] => {
    const { graph = null } = node;
    if (typeof graph === 'string') return [id, { ...node, graph: replace(graph) }];
    return [id, isJsonObject(graph) ? { ...node, graph: replaceReferences(graph, replace) } : node];
  });
  if (changed.length === 0 || !isJsonObject(nodes)) return definition;
  return { ...definition, nodes: { ...nodes, ...Object.fromEntries(changed) } };
}

/** Tells definitions from other values, where what is a definition at all has been validated: published, or run. */
export function isDefinition(value: Json): value is GraphDefinition & JsonObject {
  return isJsonObject(value) && isJsonObject(value['nodes']) && isJsonList(value['edges']);
}
