import { createHash } from 'node:crypto';
import type { Catalog, ChannelDefinition, GraphDefinition, GraphIssue, Limits } from '../../graph/definition/index.ts';
import { hasErrors, innerGraph } from '../../graph/definition/index.ts';
import { toPublicLimits } from '../../graph/run/index.ts';
import { validateGraph } from '../../graph/validate/index.ts';
import { canonicalJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';
import { linkGraphs, findNamed } from './link-graphs.ts';

/** A definition that has been found valid, and which one it is. */
export interface ValidGraph {
  readonly name: string;
  readonly version: number | null;
  readonly hash: string;
  /** As it was given. */
  readonly given: GraphDefinition;
  /** With the version at every name of another graph. */
  readonly definition: GraphDefinition;
  /** Those graphs. */
  readonly graphs: Readonly<Record<string, GraphDefinition>>;
}

/** The hash that tells definitions apart: equal content has equal hashes, whatever the order of its keys. */
function hashOf(definition: Json): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/** @throws ApiError when the definition has errors, with all its issues */
export async function requireValid(
  given: Json,
  place: GraphLookup,
  pins?: Readonly<Record<string, number>>,
): Promise<Checked> {
  const linked = await linkGraphs(given, place, pins);
  const { graphs } = linked;
  const issues = validateGraph(given, { ...place.catalog, graphs });
  if (!isValid(given, issues) || !isValid(linked.definition, [])) {
    const isTooLarge = issues.some(({ code, path }) => code === 'GRAPH_TOO_LARGE' && path === '');
    const count = issues.filter(({ severity }) => severity === 'error').length;
    throw new ApiError(
      isTooLarge ? 'GRAPH_TOO_LARGE' : 'INVALID_GRAPH',
      `The definition has ${count} error${count === 1 ? '' : 's'}`,
      { issues },
    );
  }
  const { definition } = linked;
  const graph = { name: definition.name, version: null, hash: hashOf(given), given, definition, graphs };
  return { graph, warnings: issues, pins: linked.pins };
}

/** Where the graphs and the names that a definition uses are looked up. */
export interface GraphLookup {
  readonly store: Store;
  readonly tenantId: string;
  readonly catalog: Catalog;
}

export interface Checked {
  readonly graph: ValidGraph;
  readonly warnings: readonly GraphIssue[];
  readonly pins: Readonly<Record<string, number>>;
}

/** Finds the graph that a run is asked for: by name, by name and version, or given whole. */
export async function resolveGraph(reference: Json, place: GraphLookup): Promise<ValidGraph> {
  if (typeof reference !== 'string') return (await requireValid(reference, place)).graph;
  const found = await findNamed(reference, place);
  if (!found) throw new ApiError('UNKNOWN_GRAPH', `There is no graph "${reference}"`);
  const { graph } = await requireValid(found.definition, place, found.pins);
  return { ...graph, version: found.version, hash: found.hash };
}

function isValid(definition: unknown, issues: readonly GraphIssue[]): definition is GraphDefinition & Json {
  return typeof definition === 'object' && !hasErrors(issues);
}

/** The limits in force, as definitions write them. */
export function publicLimits({ definition }: ValidGraph, asked: Limits, { defaults }: Catalog): Limits {
  return toPublicLimits(definition.limits, asked, defaults);
}

/** The channels of a graph, and of the graphs inside it, whose values are hidden from most. */
export function redactedChannels({ definition, graphs }: ValidGraph): readonly string[] {
  const channels = [definition, ...Object.values(graphs)].flatMap(channelsIn);
  return [...new Set(channels.flatMap(([name, { redact }]) => (redact === true ? [name] : [])))];
}

function channelsIn({ channels = {}, nodes }: GraphDefinition): readonly (readonly [string, ChannelDefinition])[] {
  const inside = Object.values(nodes).flatMap((node) => {
    const graph = innerGraph(node);
    return graph === null || typeof graph === 'string' ? [] : channelsIn(graph);
  });
  return [...Object.entries(channels), ...inside];
}
