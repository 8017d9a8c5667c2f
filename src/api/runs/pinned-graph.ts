import { checkInput, compileShared, missingInput } from '../../graph/compile/index.ts';
import type { CompiledGraph } from '../../graph/compile/index.ts';
import type { Catalog, GraphDefinition, Limits } from '../../graph/definition/index.ts';
import { pinCatalog } from '../../graph/definition/index.ts';
import { findRedaction } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { limitsOfRun } from '../../graph/run/index.ts';
import type { LimitsOfRun, Run } from '../../graph/run/index.ts';
import { toJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import type { ValidGraph } from '../graphs/resolve-graph.ts';
import { ApiError } from '../http/errors.ts';
import { unknownRun } from './find-run.ts';
import { inheritedChannels } from './thread-state.ts';

/** A graph with all that a run of it pins. */
export interface PinnedGraph {
  readonly graph: Run['graph'];
  /** The definition as its author gave it. */
  readonly given: JsonObject;
  /** The definition with an exact version in every reference. */
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly limits: LimitsOfRun;
  readonly redaction: Redaction;
}

/** What a new run wants besides its graph. */
interface Wanted {
  readonly limits?: Limits;
  /** Channels that hold hidden values of another run. */
  readonly inherited?: readonly string[];
}

/** Pins a graph for a new run. */
export function pinGraph(valid: ValidGraph, catalog: Catalog, { limits = {}, inherited }: Wanted = {}): PinnedGraph {
  const { name, version, hash, given, definition, graphs } = valid;
  const pinned = pinCatalog(definition, { ...catalog, graphs });
  return {
    graph: { name, version, hash },
    given: toJsonObject(given),
    definition,
    catalog: pinned,
    limits: limitsOfRun({ definition, catalog }, limits),
    redaction: findRedaction(compileShared(definition, pinned), inherited),
  };
}

/** The input of an earlier run, and the graph for a run that follows from it. */
export interface EarlierRun {
  readonly start: RunGraphInput;
  readonly pinned: PinnedGraph;
}

/**
 * Reads the graph that a run has pinned, or pins another one in its place.
 * @param reference `null`: the run's own graph
 * @throws ApiError 404 when the run has been pruned meanwhile
 */
export async function pinnedByRun(
  deps: Pick<ApiDeps, 'store' | 'catalog'>,
  run: RunRecord,
  reference: Json,
): Promise<EarlierRun> {
  const start = await deps.store.runs.startOf(run.id);
  if (start === null) throw unknownRun(run.id);
  if (!isStart(start)) throw new TypeError(`Run ${run.id} has nothing that it was started with`);
  if (reference === null) return { start, pinned: await pinnedOf(deps, run, start) };
  const valid = await resolveGraph(reference, { ...deps, tenantId: run.tenantId });
  const inherited = [...run.redaction.channels, ...(await inheritedChannels(deps.store, run.predecessorId))];
  return { start, pinned: pinGraph(valid, deps.catalog, { inherited }) };
}

async function pinnedOf(
  { store }: Pick<ApiDeps, 'store'>,
  { id, graph, limits, redaction }: RunRecord,
  { definition, catalog }: RunGraphInput,
): Promise<PinnedGraph> {
  const given = await store.graphs.definition(graph.hash);
  if (!given) throw unknownRun(id);
  return { graph, given, definition, catalog, limits: limitsOfRun({ definition, catalog }, limits), redaction };
}

/** @throws ApiError 422 with all faults of an input that the graph does not take, or with all that it lacks */
export function requireInput(graph: CompiledGraph, input: JsonObject): void {
  const missing = missingInput(graph, input).map((name) => ({ path: '/input', message: `"${name}" is missing` }));
  if (missing.length > 0) throw new ApiError('MISSING_INPUT', 'The graph needs more input', { issues: missing });
  const issues = checkInput(graph, input).map(({ path, message }) => ({ path: `/input${path}`, message }));
  if (issues.length > 0) throw new ApiError('INVALID_INPUT', 'The input does not fit the graph', { issues });
}
