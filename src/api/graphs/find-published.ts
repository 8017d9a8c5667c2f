import type { Permission } from '../../graph/definition/index.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';

/** Where the graphs of a tenant are, and what the caller may do. */
export interface TenantStore {
  readonly store: Store;
  readonly tenantId: string;
  readonly permissions?: ReadonlySet<Permission> | undefined;
}

/** Finds a version that new runs may use, or the newest such one. @returns `null` for an unpublished one, too */
export async function findPublished(
  { store, tenantId }: TenantStore,
  name: string,
  version?: number,
): Promise<PublishedGraph | null> {
  const found = await store.graphs.find(tenantId, name, version);
  return found?.unpublished === null ? found : null;
}
