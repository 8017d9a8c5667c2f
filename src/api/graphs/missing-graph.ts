import { didYouMean } from '../../graph/values/index.ts';
import { ApiError } from '../http/errors.ts';
import { GRAPH_READERS } from '../http/permissions.ts';
import type { TenantStore } from './find-published.ts';

/** The names among which one is looked for that was perhaps meant. */
const MAX_NAMES = 500;

/**
 * Makes the error about a graph that is not there. Who may list graphs is told the graph or alias that was perhaps meant.
 * @param reference `name`, `name@version` or `name@alias`
 * @param code of a request for the graph itself, or for something that uses it
 */
export async function missingGraph(
  tenant: TenantStore,
  reference: string,
  code: 'NOT_FOUND' | 'UNKNOWN_GRAPH',
): Promise<ApiError> {
  const mayList = GRAPH_READERS.some((permission) => tenant.permissions?.has(permission));
  return new ApiError(code, `There is no graph "${reference}".${mayList ? await suggestion(tenant, reference) : ''}`);
}

/** Of a graph that is there, an alias is suggested in the place of another; no version resembles another. */
async function suggestion({ store, tenantId }: TenantStore, reference: string): Promise<string> {
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
