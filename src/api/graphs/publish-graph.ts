import { readFile } from 'node:fs/promises';
import { orderByReferences } from '../../graph/definition/index.ts';
import { toJsonObject, messageOf, parseDocument } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { GraphSource, Publication } from '../../store/graphs.ts';
import { requireValid } from './resolve-graph.ts';
import type { GraphLookup } from './resolve-graph.ts';
import { graphFiles, importGraph, isModule } from '../../config/modules/import-graph.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import { SetupError } from '../../process/setup-error.ts';
import { ApiError } from '../http/errors.ts';
import type { GraphAlias } from '../../store/graph-aliases.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../http/authenticate.ts';
import { findPublished } from './find-published.ts';

/** The publisher and the tenant for which the graph is published. */
interface Publisher extends GraphLookup {
  readonly by: string;
  readonly source?: GraphSource;
}

/**
 * Publishes a definition for a tenant. Equal content yields the same version again, which the name means from now on.
 * @throws ApiError with all issues of an invalid definition
 */
export async function publishGraph(given: Json, { by, source, ...lookup }: Publisher): Promise<Publication> {
  const { graph, warnings, pins } = await requireValid(given, lookup);
  return await lookup.store.graphs.publish(
    {
      tenantId: lookup.tenantId,
      name: graph.name,
      hash: graph.hash,
      definition: toJsonObject(graph.given),
      warnings,
      pins,
      createdAt: new Date().toISOString(),
      createdBy: by,
    },
    source,
  );
}

/** A folder of definitions, and the tenants for which they are published. */
export interface GraphFolder {
  readonly folder: string;
  readonly tenants: readonly string[];
}

/**
 * Publishes the definitions of a folder, JSON files and modules, for each of its tenants; a graph comes after those that
 * it refers to.
 * @throws SetupError that names the file and its issues; DatabaseAwayError
 */
export async function publishFolder(
  { folder, tenants }: GraphFolder,
  publisher: Omit<GraphLookup, 'tenantId'>,
): Promise<void> {
  const files = await graphFiles(folder);
  // On a busy machine, loading the threads would use up the time limit of the first graphs.
  if (files.length > 0) await publisher.graphJobs.ready();
  const graphs = await Promise.all(
    files.map(async (file) => ({ file, definition: await nameOnFailure(file, async () => await readGraph(file)) })),
  );
  for (const { file, definition } of orderByReferences(graphs, (graph) => graph.definition))
    await nameOnFailure(file, async () => {
      for (const tenantId of tenants)
        await publishGraph(definition, { ...publisher, tenantId, by: 'configuration', source: 'configuration' });
    });
}

/** @throws SetupError that names the file, if the action fails; DatabaseAwayError */
async function nameOnFailure<T>(file: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    throw new SetupError(`${file} can't be published: ${describeGraphFile(error)}`, { cause: error });
  }
}

async function readGraph(file: string): Promise<Json> {
  if (!isModule(file)) return parseDocument(await readFile(file, 'utf8'));
  const graph = await importGraph(file);
  if ('definition' in graph) return graph.definition;
  throw new Error(`line ${graph.at.line}: ${graph.problem}`);
}

function describeGraphFile(error: unknown): string {
  const issues = error instanceof ApiError ? error.issues : [];
  return [messageOf(error), ...issues.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
}

/** The most aliases of a graph. */
const MAX_ALIASES = 100;

type WantedAlias = Pick<GraphAlias, 'name' | 'alias' | 'version' | 'canary'>;

/**
 * Sets an alias of a graph to published versions.
 * @throws ApiError 404 when a version is not published, 409 when the graph has too many aliases
 */
export async function setAlias(
  store: Store,
  { tenantId, sub: by }: Caller,
  wanted: WantedAlias,
): Promise<{ readonly alias: GraphAlias; readonly isNew: boolean }> {
  const { name, version, canary } = wanted;
  for (const named of canary ? [version, canary.version] : [version]) {
    if (!(await findPublished({ store, tenantId }, name, named)))
      throw new ApiError('UNKNOWN_GRAPH', `There is no graph "${name}@${named}" that is published`);
  }
  const alias = { ...wanted, updatedAt: new Date().toISOString(), by };
  const written = await store.graphAliases.put(tenantId, alias, MAX_ALIASES);
  if (!written) throw new ApiError('TOO_MANY_KEPT', `A graph may have ${MAX_ALIASES} aliases`);
  return { alias, ...written };
}

export function unknownAlias({ name, alias }: Pick<GraphAlias, 'name' | 'alias'>): ApiError {
  return new ApiError('NOT_FOUND', `The graph "${name}" has no alias "${alias}"`);
}
