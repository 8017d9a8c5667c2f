import type { GraphAlias } from '../../store/graph-versions/graph-aliases.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { findPublished } from './find-published.ts';

/** The aliases that a graph may have. */
const MAX_ALIASES = 100;

type WantedAlias = Pick<GraphAlias, 'name' | 'alias' | 'version' | 'canary'>;

/**
 * Sets an alias of a graph to published versions.
 * @throws ApiError 404 when one of them is not published, 409 when the graph has too many aliases
 */
export async function setAlias(
  { store }: { readonly store: Store },
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
