import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/errors.ts';
import type { TenantStore } from './find-published.ts';
import { missingGraph } from './missing-graph.ts';

/**
 * Finds a version of a graph, also an unpublished one, or the newest published one.
 * @throws ApiError 404
 */
export async function findVersion(
  { store }: { readonly store: Store },
  { tenantId, permissions }: Omit<TenantStore, 'store'>,
  { name, version }: { readonly name: string; readonly version?: number },
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
