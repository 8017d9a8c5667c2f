import { toJsonObject } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import type { Graphs } from '../../store/graphs.ts';
import { requireValid } from './resolve-graph.ts';
import type { GraphLookup } from './resolve-graph.ts';

/** Who publishes, for whom. */
interface Publisher extends GraphLookup {
  readonly by: string;
}

/**
 * Publishes a definition for a tenant; the same content again is the same version.
 * @throws ApiError with all issues when the definition has errors
 */
export async function publishGraph(
  given: Json,
  { by, ...lookup }: Publisher,
): Promise<Awaited<ReturnType<Graphs['publish']>>> {
  const { graph, warnings, pins } = await requireValid(given, lookup);
  return await lookup.store.graphs.publish({
    tenantId: lookup.tenantId,
    name: graph.name,
    hash: graph.hash,
    definition: toJsonObject(graph.given),
    warnings,
    pins,
    createdAt: new Date().toISOString(),
    createdBy: by,
  });
}
