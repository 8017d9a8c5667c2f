import type { Catalog } from './catalog.ts';
import type { GraphDefinition } from './definition.ts';
import { toList } from './edges.ts';

/** The part of a catalog that a graph uses, which a run of it pins. */
export function sliceCatalog({ nodes, defaults }: GraphDefinition, catalog: Catalog): Catalog {
  const all = Object.values(nodes);
  const models = all.flatMap((node) => (node.type === 'llm' ? toList(node.model ?? defaults?.model ?? 'default') : []));
  return {
    models: pick(catalog.models, models),
    tools: pick(
      catalog.tools,
      all.flatMap((node) => (node.type === 'tool' ? [node.tool] : [])),
    ),
    functions: pick(
      catalog.functions,
      all.flatMap((node) => (node.type === 'function' ? [node.function] : [])),
    ),
    defaults: catalog.defaults,
  };
}

function pick<T>(entries: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(entries).filter(([name]) => wanted.has(name)));
}
