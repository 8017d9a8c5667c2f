import type { GraphDefinition, GraphIssue } from '../../graph/definition/index.ts';
import { isDefinition, referencesIn, replaceReferences } from '../../graph/definition/index.ts';
import { isJsonObject, own } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import { readOnce } from './read-once.ts';
import type { FindGraph, GraphSource } from './read-once.ts';

/** A definition with the published graphs that it refers to. */
export interface LinkedGraph {
  /** The definition with an exact version in every reference that was found. */
  readonly definition: Json;
  /** The graphs by the references to them, also of references inside other graphs. */
  readonly graphs: Readonly<Record<string, GraphDefinition>>;
  /** The versions that references without a version mean. */
  readonly pins: Readonly<Record<string, number>>;
  /** Set if it refers to more graphs than are read; then some are missing. */
  readonly excess: GraphIssue | null;
}

const NAME_AND_VERSION = /^(?<name>[^@]+)(?:@(?<version>[1-9]\d{0,8}))?$/;

/**
 * Finds the graphs that a definition refers to, directly or through other graphs.
 * @param pins of a definition that is published: versions for references without one, and unpublished versions are
 *   found; without pins these are the newest ones, and only published versions are found
 */
export async function linkGraphs(
  definition: Json,
  tenant: GraphSource,
  pins?: Readonly<Record<string, number>>,
): Promise<LinkedGraph> {
  const graphs = new Map<string, GraphDefinition>();
  const { find, excess } = readOnce(tenant);
  const linked = await link(definition, { find, pins, graphs });
  return { ...linked, graphs: Object.fromEntries(graphs), excess: excess() };
}

interface Linking {
  readonly find: FindGraph;
  readonly pins: Readonly<Record<string, number>> | undefined;
  readonly graphs: Map<string, GraphDefinition>;
}

async function link(
  definition: Json,
  { find, pins, graphs }: Linking,
): Promise<Pick<LinkedGraph, 'definition' | 'pins'>> {
  if (!isJsonObject(definition)) return { definition, pins: {} };
  const names = new Map<string, string>();
  const pinned: Record<string, number> = {};
  for (const reference of referencesIn(definition)) {
    const found = await findNamed(reference, find, pins);
    if (!found) continue;
    const { name, version } = found;
    const exact = `${name}@${version}`;
    names.set(reference, exact);
    if (reference === name) pinned[name] = version;
    await load(exact, found, { find, graphs });
    const loaded = graphs.get(exact);
    if (loaded) graphs.set(reference, loaded);
  }
  return { definition: replaceReferences(definition, (reference) => names.get(reference) ?? reference), pins: pinned };
}

/** Loads a graph and its references once, also when a graph contains itself. */
async function load(exact: string, found: PublishedGraph, { find, graphs }: Omit<Linking, 'pins'>): Promise<void> {
  if (graphs.has(exact) || !isDefinition(found.definition)) return;
  graphs.set(exact, found.definition);
  const linked = await link(found.definition, { find, pins: found.pins, graphs });
  if (isDefinition(linked.definition)) graphs.set(exact, linked.definition);
}

/** Finds a graph that a definition refers to, by `name` or `name@version`. */
async function findNamed(
  reference: string,
  find: FindGraph,
  pins: Readonly<Record<string, number>> | undefined,
): Promise<PublishedGraph | null> {
  const named = NAME_AND_VERSION.exec(reference)?.groups;
  const name = named?.['name'];
  if (name === undefined) return null;
  const version = named?.['version'];
  const wanted = version === undefined ? own(pins ?? {}, name) : Number(version);
  const found = await find(name, wanted);
  return found && (pins !== undefined || found.unpublished === null) ? found : null;
}
