import { isJsonObject, isJsonList, membersIn } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { graphToolsAt } from './graph-tools.ts';
import { isGraphTool, isOfferedTool } from './node-types/offered-tool.ts';
import { innerGraphAt } from './node-types/describe-node.ts';

/** Returns the published graphs that nodes name, as subgraphs and as tools, in the definition and its inline graphs. */
export function referencesIn(definition: Json): readonly string[] {
  const found = new Set<string>();
  collectReferences(definition, found);
  return [...found];
}

/**
 * Orders definitions so that each comes after those that it refers to by name; otherwise they stay in their order.
 * @param definitionOf returns the definition of an entry. Of definitions that refer to each other, the first comes last
 */
export function orderByReferences<T>(entries: readonly T[], definitionOf: (entry: T) => Json): readonly T[] {
  const byName = new Map(entries.map((entry) => [nameOf(definitionOf(entry)), entry]));
  const ordered = new Set<T>();
  const visited = new Set<T>();
  const add = (entry: T): void => {
    if (visited.has(entry)) return;
    visited.add(entry);
    for (const reference of referencesIn(definitionOf(entry))) {
      const referred = byName.get(reference.replace(/@.*$/s, ''));
      if (referred !== undefined) add(referred);
    }
    ordered.add(entry);
  };
  for (const entry of entries) add(entry);
  return [...ordered];
}

function nameOf(definition: Json): Json | undefined {
  return isJsonObject(definition) ? definition['name'] : undefined;
}

function collectReferences(definition: Json, found: Set<string>): void {
  for (const [, node] of definedNodes(definition)) {
    for (const { reference } of graphToolsAt(node)) found.add(reference);
    const inner = innerGraphAt(node);
    if (!inner) continue;
    if (typeof inner.definition === 'string') found.add(inner.definition);
    else collectReferences(inner.definition, found);
  }
}

function definedNodes(definition: Json): readonly (readonly [string, JsonObject])[] {
  const nodes = isJsonObject(definition) ? definition['nodes'] : undefined;
  return membersIn(nodes).flatMap(([id, node]) => (isJsonObject(node) ? [[id, node] as const] : []));
}

/** Returns the definition with every reference to a published graph replaced, in its inline graphs too. */
export function replaceReferences(definition: JsonObject, replace: (reference: string) => string): JsonObject {
  const { nodes } = definition;
  const changed = definedNodes(definition).flatMap(([id, node]) => {
    const changes = { ...changedGraph(node, replace), ...changedTools(node, replace) };
    return Object.keys(changes).length === 0 ? [] : [[id, { ...node, ...changes }] as const];
  });
  if (changed.length === 0 || !isJsonObject(nodes)) return definition;
  return { ...definition, nodes: { ...nodes, ...Object.fromEntries(changed) } };
}

type ReplaceReference = (reference: string) => string;

function changedGraph(node: JsonObject, replace: ReplaceReference): JsonObject {
  const { field, definition: graph } = innerGraphAt(node) ?? {};
  if (field === undefined || graph === undefined) return {};
  if (typeof graph === 'string') return { [field]: replace(graph) };
  return isJsonObject(graph) ? { [field]: replaceReferences(graph, replace) } : {};
}

function changedTools(node: JsonObject, replace: ReplaceReference): JsonObject {
  const { tools } = node;
  if (!isJsonList(tools) || graphToolsAt(node).length === 0) return {};
  return {
    tools: tools.map((tool) =>
      isJsonObject(tool) && isOfferedTool(tool) && isGraphTool(tool) ? { ...tool, graph: replace(tool.graph) } : tool,
    ),
  };
}
