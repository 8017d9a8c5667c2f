import { mapValues, toList } from '../values/collections.ts';
import { own } from '../values/json.ts';
import type { Catalog, CatalogDefaults } from './catalog.ts';
import type { Defaults, GraphDefinition, NodeDefinition } from './definition.ts';
import { graphToolsAt } from './graph-tools.ts';
import { innerGraph } from './node-types/describe-node.ts';
import { namedEntries, describeNode, nodeFields } from './node-types/describe-node.ts';
import { toMs } from '../values/time.ts';
import type { Ceilings } from './limits.ts';

/** Returns the part of a catalog that a graph and its inner graphs use. A run pins this part. */
export function pinCatalog(definition: GraphDefinition, catalog: Catalog): Catalog {
  const { graphs: known = {} } = catalog;
  const { models, tools, functions, nodeTypes, graphs } = namesUsed(definition, known);
  return {
    models: pickEntries(catalog.models, models),
    tools: mapValues(
      pickEntries(catalog.tools, addFallbackTools(catalog, tools)),
      ({ result: _result, ...terms }) => terms,
    ),
    functions: mapValues(pickEntries(catalog.functions, functions), ({ effect, timeout, retry }) => ({
      effect,
      timeout,
      retry,
    })),
    ...(catalog.nodeTypes && { nodeTypes: pickEntries(catalog.nodeTypes, nodeTypes) }),
    ...(graphs.length > 0 && { graphs: pickEntries(known, graphs) }),
    defaults: catalog.defaults,
    ceilings: catalog.ceilings,
  };
}

/** The names of an installation that a graph uses; they may repeat. */
export interface NamesUsed {
  readonly models: readonly string[];
  readonly tools: readonly string[];
  readonly functions: readonly string[];
  /** All types of its nodes, built-in ones included. */
  readonly nodeTypes: readonly string[];
  readonly graphs: readonly string[];
}

/** Returns the names that a graph and its inner graphs use. @param graphs the published graphs */
export function namesUsed(definition: GraphDefinition, graphs: Readonly<Record<string, GraphDefinition>>): NamesUsed {
  const parts = [...withGraphsInside(definition, { graphs })];
  const used = parts.flatMap(({ definition: part }) => catalogUsesIn(part));
  return {
    models: used.flatMap((uses) => uses.models),
    tools: used.flatMap((uses) => uses.tools),
    functions: used.flatMap((uses) => uses.functions),
    nodeTypes: used.map(({ type }) => type),
    graphs: parts.flatMap(({ reference }) => reference ?? []),
  };
}

/** Returns a graph and all graphs inside it: inline ones, and those that nodes name as subgraphs or tools. */
export function graphsWithin(
  definition: GraphDefinition,
  catalog: Pick<Catalog, 'graphs'>,
): readonly GraphDefinition[] {
  return [...withGraphsInside(definition, catalog)].map((part) => part.definition);
}

interface PinnedGraphPart {
  readonly definition: GraphDefinition;
  /** The name that a node uses for the graph; `null` if the graph is inline. */
  readonly reference: string | null;
}

function withGraphsInside(
  definition: GraphDefinition,
  { graphs = {} }: Pick<Catalog, 'graphs'>,
): ReadonlySet<PinnedGraphPart> {
  const parts = new Set<PinnedGraphPart>([{ definition, reference: null }]);
  const seen = new Set<string>();
  for (const part of parts) {
    const named = Object.values(part.definition.nodes).flatMap(graphsNamedBy);
    for (const inside of named.flatMap((graph) => toPinnedPart(graph, graphs) ?? [])) {
      if (inside.reference !== null && seen.has(inside.reference)) continue;
      if (inside.reference !== null) seen.add(inside.reference);
      parts.add(inside);
    }
  }
  return parts;
}

function graphsNamedBy(node: NodeDefinition): readonly (string | GraphDefinition)[] {
  const inner = innerGraph(node);
  return [...(inner === null ? [] : [inner]), ...graphToolsAt(nodeFields(node)).map(({ reference }) => reference)];
}

function toPinnedPart(
  graph: string | GraphDefinition,
  graphs: Readonly<Record<string, GraphDefinition>>,
): PinnedGraphPart | null {
  if (typeof graph !== 'string') return { definition: graph, reference: null };
  const definition = own(graphs, graph);
  return definition ? { definition, reference: graph } : null;
}

/** The catalog names that one node uses. */
interface CatalogUsesOfNode {
  readonly type: string;
  readonly tools: readonly string[];
  readonly models: readonly string[];
  readonly functions: readonly string[];
}

function catalogUsesIn({ nodes, defaults = {} }: GraphDefinition): readonly CatalogUsesOfNode[] {
  return Object.values(nodes).map((node) => {
    const { uses = {} } = describeNode(nodeFields(node));
    const models = namedEntries(node, uses.models);
    return {
      type: node.type,
      tools: namedEntries(node, uses.tools),
      models: uses.models && models.length === 0 ? defaultModels(defaults) : models,
      functions: namedEntries(node, uses.functions),
    };
  });
}

function defaultModels({ model = 'default' }: Defaults): readonly string[] {
  return toList(model);
}

/** Adds the fallback tools (`onFailure`) of the named tools. */
function addFallbackTools({ tools }: Catalog, names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const name of all) {
    const other = own(tools, name)?.onFailure;
    if (other !== undefined) all.add(other);
  }
  return [...all];
}

function pickEntries<T>(entries: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(entries).filter(([name]) => wanted.has(name)));
}

/** Lowers an installation's defaults to its ceilings. */
export function lowerDefaults(defaults: CatalogDefaults, ceilings: Ceilings): CatalogDefaults {
  const { maxSteps, maxConcurrency, timeout, retry } = defaults;
  return {
    ...defaults,
    maxSteps: Math.min(maxSteps, ceilings.maxSteps),
    maxConcurrency: Math.min(maxConcurrency, ceilings.openCallsPerRun),
    timeout: toMs(timeout) > toMs(ceilings.timeout) ? ceilings.timeout : timeout,
    retry: { ...retry, maxAttempts: Math.min(retry.maxAttempts, ceilings.attempts) },
  };
}
