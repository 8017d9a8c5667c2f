import { checkInput } from '../../graph/compile/index.ts';
import type { CompiledGraph } from '../../graph/compile/index.ts';
import type { Catalog, GraphDefinition } from '../../graph/definition/index.ts';
import { pinCatalog } from '../../graph/definition/index.ts';
import { limitsOfGraph, tighten } from '../../graph/run/index.ts';
import type { Run, RunLimits } from '../../graph/run/index.ts';
import { toJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph, publicLimits, redactedChannels } from '../graphs/resolve-graph.ts';
import { ApiError } from '../http/errors.ts';
import { unknownRun } from './find-run.ts';

/** A graph with all that a run of it pins. */
export interface PinnedGraph {
  /** What the run was started with whose graph it is, or was. */
  readonly start: RunGraphInput;
  readonly graph: Run['graph'];
  /** As it was given. */
  readonly given: JsonObject;
  /** With the version at every name of another graph. */
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly limits: RunLimits;
  readonly publicLimits: JsonObject;
  readonly redacted: readonly string[];
}

/**
 * What a run has pinned, or another graph in its place as it would be pinned now.
 * @param reference `null`: its own
 * @throws ApiError 404 when the run has been forgotten meanwhile
 */
export async function pinnedGraph(
  deps: Pick<ApiDeps, 'store' | 'catalog'>,
  run: RunRecord,
  reference: Json,
): Promise<PinnedGraph> {
  const start = await deps.store.runs.startOf(run.id);
  if (start === null) throw unknownRun(run.id);
  if (!isStart(start)) throw new TypeError(`Run ${run.id} has nothing that it was started with`);
  if (reference === null) {
    const given = await deps.store.graphs.definition(run.graph.hash);
    if (!given) throw unknownRun(run.id);
    const { definition, catalog } = start;
    const { graph, redacted } = run;
    const { limits } = tighten(limitsOfGraph(definition.limits, catalog.defaults), run.limits);
    return { start, graph, given, definition, catalog, limits, publicLimits: run.limits, redacted };
  }
  const graph = await resolveGraph(reference, { ...deps, tenantId: run.tenantId });
  const { name, version, hash, given, definition } = graph;
  return {
    start,
    graph: { name, version, hash },
    given: toJsonObject(given),
    definition,
    catalog: pinCatalog(definition, { ...deps.catalog, graphs: graph.graphs }),
    limits: limitsOfGraph(definition.limits, deps.catalog.defaults),
    publicLimits: toJsonObject(publicLimits(graph, {}, deps.catalog)),
    redacted: [...new Set([...run.redacted, ...redactedChannels(graph)])],
  };
}

/** @throws ApiError 422 when a run of the graph could not begin with the input, with all that is wrong with it */
export function requireInput(graph: CompiledGraph, input: JsonObject): void {
  const issues = checkInput(graph, input).map(({ path, message }) => ({ path: `/input${path}`, message }));
  if (issues.length > 0) throw new ApiError('INVALID_INPUT', 'The input does not fit the graph', { issues });
}
