import { toList } from '../values/collections.ts';
import { own } from '../values/json.ts';
import type { Catalog } from './catalog.ts';
import type { GraphDefinition, NodeDefinition, NodeOfType } from './definition.ts';

/** The part of a catalog that a graph and the graphs inside it use, which a run of it pins. */
export function pinCatalog(definition: GraphDefinition, catalog: Catalog): Catalog {
  const parts = [...withGraphsInside(definition, catalog)];
  const nodes = parts.flatMap(({ definition: part }) => Object.values(part.nodes));
  const models = parts.flatMap(({ definition: part }) => modelsOf(part));
  const { graphs: known = {} } = catalog;
  const graphs = parts.flatMap(({ reference }) => reference ?? []);
  return {
    models: pick(catalog.models, models),
    tools: pick(
      catalog.tools,
      withFallbacks(
        catalog,
        nodes.flatMap((node) => toolsOf(node, catalog)),
      ),
    ),
    functions: pick(
      catalog.functions,
      nodes.flatMap((node) => (node.type === 'function' ? [node.function] : [])),
    ),
    ...(catalog.nodeTypes && {
      nodeTypes: pick(
        catalog.nodeTypes,
        nodes.map(({ type }) => type),
      ),
    }),
    ...(graphs.length > 0 && { graphs: pick(known, graphs) }),
    defaults: catalog.defaults,
  };
}

interface Part {
  readonly definition: GraphDefinition;
  /** What names it, where it is not inline. */
  readonly reference: string | null;
}

function withGraphsInside(definition: GraphDefinition, { graphs = {} }: Catalog): ReadonlySet<Part> {
  const parts = new Set<Part>([{ definition, reference: null }]);
  const seen = new Set<string>();
  for (const part of parts) {
    for (const node of Object.values(part.definition.nodes)) {
      const inside = insideOf(node, graphs);
      if (!inside || (inside.reference !== null && seen.has(inside.reference))) continue;
      if (inside.reference !== null) seen.add(inside.reference);
      parts.add(inside);
    }
  }
  return parts;
}

function insideOf(node: NodeDefinition, graphs: Readonly<Record<string, GraphDefinition>>): Part | null {
  if (node.type !== 'subgraph') return null;
  if (typeof node.graph !== 'string') return { definition: node.graph, reference: null };
  const definition = own(graphs, node.graph);
  return definition ? { definition, reference: node.graph } : null;
}

function toolsOf(node: NodeDefinition, catalog: Catalog): readonly string[] {
  switch (node.type) {
    case 'llm':
    case 'agent':
      return node.tools ?? [];
    case 'tool':
      return node.calls === undefined ? toolsOfCall(node) : Object.keys(catalog.tools);
    default:
      return [];
  }
}

function toolsOfCall({ tool, compensate }: NodeOfType<'tool'>): readonly string[] {
  return [tool, compensate?.tool].filter((name) => name !== undefined);
}

/** Tools, and those that are called where they have failed. */
function withFallbacks({ tools }: Catalog, names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const name of all) {
    const other = own(tools, name)?.onFailure;
    if (other !== undefined) all.add(other);
  }
  return [...all];
}

function modelsOf({ nodes, defaults }: GraphDefinition): readonly string[] {
  return Object.values(nodes).flatMap((node) =>
    node.type === 'llm' || node.type === 'agent' ? toList(node.model ?? defaults?.model ?? 'default') : [],
  );
}

function pick<T>(entries: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(entries).filter(([name]) => wanted.has(name)));
}
