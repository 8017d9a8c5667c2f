import { createHash } from 'node:crypto';
import { hasErrors, isDefinition, referencesIn, replaceReferences } from '../../graph/definition/index.ts';
import type { GraphDefinition, GraphIssue } from '../../graph/definition/index.ts';
import { deepEqual, formatCount, isJsonObject, own, remainingBytes } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { contentHash } from '../http/fingerprints.ts';
import { ApiError } from '../http/errors.ts';
import { findPublished, missingGraph } from './find-published.ts';
import type { GraphReader } from './find-published.ts';
import type { GraphAlias } from '../../store/graph-aliases.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import type { GraphJobs } from '../graph-jobs/jobs.ts';

/** A validated definition. */
export interface ValidGraph {
  readonly name: string;
  readonly version: number | null;
  readonly hash: string;
  /** The definition as its author wrote it. */
  readonly given: GraphDefinition;
  /** The definition with exact versions in all references. */
  readonly definition: GraphDefinition;
  /** The graphs to which the definition refers. */
  readonly graphs: Readonly<Record<string, GraphDefinition>>;
}

/** @throws ApiError with all issues of an invalid definition */
export async function requireValid(
  given: Json,
  lookup: GraphLookup,
  pins?: Readonly<Record<string, number>>,
): Promise<ValidatedGraph> {
  const linked = await linkGraphs(given, lookup, pins);
  const issues = await findIssues(given, linked, lookup);
  if (!isValidDefinition(given, issues) || !isValidDefinition(linked.definition, [])) {
    const isTooLarge = issues.some(({ code, path }) => code === 'GRAPH_TOO_LARGE' && path === '');
    const count = issues.filter(({ severity }) => severity === 'error').length;
    throw new ApiError(
      isTooLarge ? 'GRAPH_TOO_LARGE' : 'INVALID_GRAPH',
      `The definition has ${formatCount(count, 'error')}`,
      { issues },
    );
  }
  const { definition, graphs } = linked;
  const graph = { name: definition.name, version: null, hash: contentHash(given), given, definition, graphs };
  return { graph, warnings: issues, pins: linked.pins };
}

/** Finds the issues of a definition. A definition that refers to too many graphs has only that issue. */
export async function findIssues(
  definition: Json,
  { graphs, excess }: Pick<LinkedGraph, 'graphs' | 'excess'>,
  { graphJobs, tenantId }: Pick<GraphLookup, 'graphJobs' | 'tenantId'>,
): Promise<readonly GraphIssue[]> {
  return excess ? [excess] : await graphJobs.do('validate', tenantId, definition, graphs);
}

/** The source of referenced graphs, and what validates definitions. */
export interface GraphLookup extends GraphReader {
  readonly graphJobs: GraphJobs;
}

export interface ValidatedGraph {
  readonly graph: ValidGraph;
  readonly warnings: readonly GraphIssue[];
  readonly pins: Readonly<Record<string, number>>;
}

/**
 * Resolves the graph of a new run, given as a name, version, alias or definition. A definition with the content of a
 * published version is that version, unless it refers to other versions of graphs than when it was published.
 * @param runId the id of the run, which selects the version of an alias with a canary
 * @throws ApiError 404 when the graph does not exist or its version is unpublished; 422 when the definition is invalid
 */
export async function resolveGraph(reference: Json, lookup: GraphLookup, runId: string): Promise<ValidGraph> {
  if (typeof reference !== 'string') {
    const { graph, pins } = await requireValid(reference, lookup);
    const known = await lookup.store.graphs.findByHash(lookup.tenantId, graph.name, graph.hash);
    return known && deepEqual(known.pins, pins) ? { ...graph, version: known.version } : graph;
  }
  const found = await findForRun(reference, lookup, runId);
  const { graph } = await requireValid(found.definition, lookup, found.pins);
  return { ...graph, version: found.version, hash: found.hash };
}

function isValidDefinition(definition: unknown, issues: readonly GraphIssue[]): definition is GraphDefinition & Json {
  return typeof definition === 'object' && !hasErrors(issues);
}

/** An alias begins with a letter, so that it can't be confused with a version. */
const REFERENCE = /^(?<name>[^@]+)(?:@(?:(?<version>[1-9]\d{0,8})|(?<alias>[A-Za-z][A-Za-z0-9_-]{0,62})))?$/;

/**
 * Finds the published version that a new run uses.
 * @param reference `name`, `name@version` or `name@alias`
 * @param runId selects between the versions of an alias with a canary; the same id always selects the same version
 * @throws ApiError 404 when there is none
 */
export async function findForRun(reference: string, tenant: GraphReader, runId: string): Promise<PublishedGraph> {
  const { name, version, alias } = REFERENCE.exec(reference)?.groups ?? {};
  if (name === undefined) return await refuseReference(tenant, reference);
  if (alias !== undefined) return await findByAlias(tenant, name, alias, runId);
  const found = await findPublished(tenant, name, version === undefined ? undefined : Number(version));
  return found ?? (await refuseReference(tenant, reference));
}

/** Finds all published versions that a new run may use; an alias with a canary has two. */
export async function findAllForRun(reference: string, tenant: GraphReader): Promise<readonly PublishedGraph[]> {
  const { name, version, alias } = REFERENCE.exec(reference)?.groups ?? {};
  if (name === undefined) return [];
  const versions =
    alias === undefined
      ? [version === undefined ? undefined : Number(version)]
      : versionsOfAlias(await tenant.store.graphAliases.find({ tenantId: tenant.tenantId, name, alias }));
  const found = await Promise.all(versions.map(async (one) => await findPublished(tenant, name, one)));
  return found.filter((graph) => graph !== null);
}

function versionsOfAlias(alias: GraphAlias | null): readonly number[] {
  return alias ? [alias.version, ...(alias.canary ? [alias.canary.version] : [])] : [];
}

/** An unpublished canary is ignored, and all runs use the version of the alias. */
async function findByAlias(tenant: GraphReader, name: string, wanted: string, runId: string): Promise<PublishedGraph> {
  const { store, tenantId } = tenant;
  const alias = await store.graphAliases.find({ tenantId, name, alias: wanted });
  if (!alias) return await refuseReference(tenant, `${name}@${wanted}`);
  const canary =
    alias.canary && isCanary(alias, runId) ? await findPublished(tenant, name, alias.canary.version) : null;
  return (
    canary ?? (await findPublished(tenant, name, alias.version)) ?? (await refuseReference(tenant, `${name}@${wanted}`))
  );
}

/** Decides by a hash of the run's id, so that about `share` of all runs use the canary. */
export function isCanary(
  { name, alias, canary }: Pick<GraphAlias, 'name' | 'alias' | 'canary'>,
  runId: string,
): boolean {
  if (!canary) return false;
  const hash = createHash('sha256')
    .update(JSON.stringify([name, alias, runId]))
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32 < canary.share;
}

async function refuseReference(tenant: GraphReader, reference: string): Promise<never> {
  throw await missingGraph(tenant, reference, 'UNKNOWN_GRAPH');
}

/** A definition with the published graphs to which it refers. */
export interface LinkedGraph {
  /** The definition with exact versions in all references that were found. */
  readonly definition: Json;
  /** The graphs by reference, including references inside other graphs. */
  readonly graphs: Readonly<Record<string, GraphDefinition>>;
  /** The versions that were chosen for references without a version. */
  readonly pins: Readonly<Record<string, number>>;
  /** Set if the definition refers to too many graphs; then some of them are missing. */
  readonly excess: GraphIssue | null;
}

const NAME_AND_VERSION = /^(?<name>[^@]+)(?:@(?<version>[1-9]\d{0,8}))?$/;

/**
 * Finds the graphs to which a definition refers, directly or through other graphs.
 * @param pins the versions of a published definition's references without a version; with pins, unpublished versions
 * are found too. Without pins, such references use the newest version, and only published versions are found
 */
export async function linkGraphs(
  definition: Json,
  tenant: GraphSource,
  pins?: Readonly<Record<string, number>>,
): Promise<LinkedGraph> {
  const graphs = new Map<string, GraphDefinition>();
  const { find, excess } = createBoundedFinder(tenant);
  const linked = await linkReferences(definition, { find, pins, graphs });
  return { ...linked, graphs: Object.fromEntries(graphs), excess: excess() };
}

interface LinkingGraphs {
  readonly find: FindGraph;
  readonly pins: Readonly<Record<string, number>> | undefined;
  readonly graphs: Map<string, GraphDefinition>;
}

async function linkReferences(
  definition: Json,
  { find, pins, graphs }: LinkingGraphs,
): Promise<Pick<LinkedGraph, 'definition' | 'pins'>> {
  if (!isJsonObject(definition)) return { definition, pins: {} };
  const names = new Map<string, string>();
  const pinned: Record<string, number> = {};
  for (const reference of referencesIn(definition)) {
    const found = await findReferenced(reference, find, pins);
    if (!found) continue;
    const { name, version } = found;
    const exact = `${name}@${version}`;
    names.set(reference, exact);
    if (reference === name) pinned[name] = version;
    await loadReferenced(exact, found, { find, graphs });
    const loaded = graphs.get(exact);
    if (loaded) graphs.set(reference, loaded);
  }
  return { definition: replaceReferences(definition, (reference) => names.get(reference) ?? reference), pins: pinned };
}

/** Loads a graph and its references only once, also when a graph contains itself. */
async function loadReferenced(
  exact: string,
  found: PublishedGraph,
  { find, graphs }: Omit<LinkingGraphs, 'pins'>,
): Promise<void> {
  if (graphs.has(exact) || !isDefinition(found.definition)) return;
  graphs.set(exact, found.definition);
  const linked = await linkReferences(found.definition, { find, pins: found.pins, graphs });
  if (isDefinition(linked.definition)) graphs.set(exact, linked.definition);
}

/** Finds a graph that is referenced by `name` or `name@version`. */
async function findReferenced(
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

/** The most graphs to which a definition may refer, directly or through others. */
const MAX_GRAPHS = 200;

/** The most bytes of all their definitions together. */
const MAX_GRAPHS_BYTES = 8 * 1_048_576;

/** The most names that are looked up, whether such a graph exists or not. */
const MAX_LOOKUPS = 2_000;

/** Where the graphs of a tenant are read from. */
export interface GraphSource {
  readonly store: { readonly graphs: Pick<Store['graphs'], 'find'> };
  readonly tenantId: string;
}

/** Finds a version of a graph, or the newest one. */
export type FindGraph = (name: string, version: number | undefined) => Promise<PublishedGraph | null>;

/** Finds the graphs for one request. Once a limit is exceeded, it finds none. */
export interface BoundedFinder {
  readonly find: FindGraph;
  /** Returns the issue of a definition whose references exceed the limits, or `null`. */
  readonly excess: () => GraphIssue<'GRAPH_TOO_LARGE'> | null;
}

/** Creates the finder for one request, which reads each graph only once. */
function createBoundedFinder({ store, tenantId }: GraphSource): BoundedFinder {
  const known = new Map<string, PublishedGraph | null>();
  const versions = new Map<string, PublishedGraph>();
  let remaining = MAX_GRAPHS_BYTES;
  const excess: BoundedFinder['excess'] = () => {
    if (versions.size > MAX_GRAPHS || known.size > MAX_LOOKUPS)
      return tooLargeIssue(`It refers to more than ${MAX_GRAPHS} graphs`);
    return remaining < 0
      ? tooLargeIssue(`The graphs that it refers to take over ${MAX_GRAPHS_BYTES} bytes together`)
      : null;
  };
  const read: FindGraph = async (name, version) => {
    const found = await store.graphs.find(tenantId, name, version);
    if (!found) return null;
    const exact = `${name}@${found.version}`;
    const before = versions.get(exact);
    if (before) return before;
    versions.set(exact, found);
    remaining = remainingBytes(remaining, found.definition);
    return found;
  };
  return {
    excess,
    async find(name, version) {
      const key = `${name}@${version ?? ''}`;
      const before = known.has(key) ? known.get(key) : versions.get(key);
      if (before !== undefined) return before;
      if (excess()) return null;
      const found = await read(name, version);
      known.set(key, found);
      return found;
    },
  };
}

function tooLargeIssue(message: string): GraphIssue<'GRAPH_TOO_LARGE'> {
  return { code: 'GRAPH_TOO_LARGE', severity: 'error', path: '', message };
}
