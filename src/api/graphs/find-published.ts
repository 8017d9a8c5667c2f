import type { Permission } from '../../graph/definition/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';
import { didYouMean } from '../../graph/values/index.ts';
import { GRAPH_READERS } from '../http/authenticate.ts';

/** The graphs of a tenant, and the permissions of the caller. */
export interface GraphReader {
  readonly store: Store;
  readonly tenantId: string;
  readonly permissions?: ReadonlySet<Permission> | undefined;
}

/**
 * Finds a version that new runs may use, or the newest such version.
 * @returns `null` also for an unpublished version
 */
export async function findPublished(
  { store, tenantId }: GraphReader,
  name: string,
  version?: number,
): Promise<PublishedGraph | null> {
  const found = await store.graphs.find(tenantId, name, version);
  return found?.unpublished === null ? found : null;
}

/** Finds a version of a graph, including unpublished ones, or the newest published one. @throws ApiError 404 */
export async function findVersion(
  store: Store,
  { tenantId, permissions }: Omit<GraphReader, 'store'>,
  name: string,
  version?: number,
): Promise<PublishedGraph> {
  const graph = await store.graphs.find(tenantId, name, version);
  if (!graph)
    throw version === undefined
      ? await missingGraph({ store, tenantId, permissions }, name, 'NOT_FOUND')
      : unknownVersion(name, version);
  return graph;
}

export function unknownVersion(name: string, version?: number): ApiError {
  const which = version === undefined ? '' : ` with version ${version}`;
  return new ApiError('NOT_FOUND', `There is no graph "${name}"${which}`);
}

/** The most names that are searched for a similar one. */
const MAX_NAMES = 500;

/**
 * Creates the error for a missing graph. Callers who may list graphs also receive the most similar name.
 * @param reference `name`, `name@version` or `name@alias`
 * @param code depends on whether the request is for the graph itself or for something that uses it
 */
export async function missingGraph(
  tenant: GraphReader,
  reference: string,
  code: 'NOT_FOUND' | 'UNKNOWN_GRAPH',
): Promise<ApiError> {
  const mayList = GRAPH_READERS.some((permission) => tenant.permissions?.has(permission));
  return new ApiError(
    code,
    `There is no graph "${reference}".${mayList ? await suggestSimilar(tenant, reference) : ''}`,
  );
}

/** If the graph exists, a similar alias is suggested; versions have no similar ones. */
async function suggestSimilar({ store, tenantId }: GraphReader, reference: string): Promise<string> {
  const [name = '', version] = reference.split('@');
  if (!(await store.graphs.find(tenantId, name))) {
    const { items } = await store.graphs.list(tenantId, { limit: MAX_NAMES });
    return didYouMean(
      name,
      items.map((graph) => graph.name),
    );
  }
  if (version === undefined || /^\d/.test(version)) return '';
  const { items } = await store.graphAliases.list(tenantId, name, { limit: MAX_NAMES });
  return didYouMean(
    version,
    items.map(({ alias }) => alias),
  );
}
