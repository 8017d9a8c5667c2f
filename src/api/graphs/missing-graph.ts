import { didYouMean } from '../../graph/values/index.ts';
import { ApiError } from '../http/errors.ts';
import type { TenantStore } from './find-published.ts';

/** The names among which one is looked for that was perhaps meant. */
const MAX_NAMES = 500;

/**
 * Makes the error about a graph that is not there, with the graph or alias of the tenant that was perhaps meant.
 * @param reference `name`, `name@version` or `name@alias`
 * @param code of a request for the graph itself, or for something that uses it
 */
export async function missingGraph(
  { store, tenantId }: TenantStore,
  reference: string,
  code: 'NOT_FOUND' | 'UNKNOWN_GRAPH',
): Promise<ApiError> {
  const [name = ''] = reference.split('@');
  const isNamed = (await store.graphs.find(tenantId, name)) !== null;
  const { items } = isNamed
    ? await store.graphAliases.list(tenantId, name, { limit: MAX_NAMES })
    : await store.graphs.list(tenantId, { limit: MAX_NAMES });
  const known = items.map((item) => ('alias' in item ? `${name}@${item.alias}` : item.name));
  return new ApiError(code, `There is no graph "${reference}".${didYouMean(isNamed ? reference : name, known)}`);
}
