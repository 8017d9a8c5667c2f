import { isJsonObject, isJsonList } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { GraphDefinition } from './definition.ts';
import { innerGraphAt } from './inner-graph.ts';

/** Returns the published graphs that nodes name, in the definition and its inline graphs. */
export function referencesIn(definition: Json): readonly string[] {
  const found = new Set<string>();
  collect(definition, found);
  return [...found];
}

function collect(definition: Json, found: Set<string>): void {
  for (const { inner } of nodesWithGraphs(definition)) {
    if (typeof inner.definition === 'string') found.add(inner.definition);
    else collect(inner.definition, found);
  }
}

interface NodeWithGraph {
  readonly id: string;
  readonly node: JsonObject;
  readonly inner: NonNullable<ReturnType<typeof innerGraphAt>>;
}

function nodesWithGraphs(definition: Json): readonly NodeWithGraph[] {
  const nodes = isJsonObject(definition) ? definition['nodes'] : undefined;
  if (!isJsonObject(nodes)) return [];
  return Object.entries(nodes).flatMap(([id, node]) => {
    const inner = isJsonObject(node) ? innerGraphAt(node) : null;
    return isJsonObject(node) && inner ? [{ id, node, inner }] : [];
  });
}

/** Returns the definition with every reference to a published graph replaced, in its inline graphs too. */
export function replaceReferences(definition: JsonObject, replace: (reference: string) => string): JsonObject {
  const { nodes } = definition;
  const changed = nodesWithGraphs(definition).map(({ id, node, inner }): [string, Json] => {
    const { field, definition: graph } = inner;
    if (typeof graph === 'string') return [id, { ...node, [field]: replace(graph) }];
    return [id, isJsonObject(graph) ? { ...node, [field]: replaceReferences(graph, replace) } : node];
  });
  if (changed.length === 0 || !isJsonObject(nodes)) return definition;
  return { ...definition, nodes: { ...nodes, ...Object.fromEntries(changed) } };
}

/** True if a value is a definition. Use it only for stored values, whose definitions are already validated. */
export function isDefinition(value: Json): value is GraphDefinition & JsonObject {
  return isJsonObject(value) && isJsonObject(value['nodes']) && isJsonList(value['edges']);
}
