import { compileShared } from '../../graph/compile/index.ts';
import type { GraphDefinition, Limits } from '../../graph/definition/index.ts';
import { INTERPRETER_VERSION, pinCatalog } from '../../graph/definition/index.ts';
import { limitsOfGraph, refuseLoose, tighten } from '../../graph/run/index.ts';
import type { Breakpoints } from '../../graph/run/index.ts';
import { didYouMean, toJson, toJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { NewRun } from '../../store/runs.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph, publicLimits, redactedChannels } from '../graphs/resolve-graph.ts';
import type { ValidGraph } from '../graphs/resolve-graph.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { tryDispatch } from './dispatch-run.ts';
import { requireInput } from './pinned-graph.ts';

/** A run that somebody wants. */
export interface WantedRun {
  readonly graph: Json;
  readonly input: JsonObject;
  readonly threadId: string | null;
  readonly onBusy: NewRun['onBusy'];
  readonly limits: Limits;
  readonly startAt: string | null;
  readonly breakpoints: Breakpoints;
  readonly metadata: JsonObject;
}

/**
 * Accepts a run: from here on it will be run, whatever happens to this process. Handing it over to Temporal is tried at
 * once, and again by the sweeper until it is done.
 * @param id the run's id, chosen before; accepting it twice accepts it once
 * @throws ApiError 409 when its thread is busy
 */
export async function startRun(
  deps: ApiDeps,
  caller: Caller,
  { id, wanted }: { id: string; wanted: WantedRun },
): Promise<void> {
  const graph = await resolveGraph(wanted.graph, { ...deps, tenantId: caller.tenantId });
  const start = toStart(deps, caller, { id, graph, wanted });
  const { name, version, hash, given } = graph;
  const accepted = await deps.store.runs.create({
    id,
    tenantId: caller.tenantId,
    graph: { name, version, hash },
    definition: toJsonObject(given),
    threadId: wanted.threadId,
    onBusy: wanted.onBusy,
    parentRunId: null,
    replay: null,
    input: wanted.input,
    limits: toJsonObject(publicLimits(graph, wanted.limits, deps.catalog)),
    metadata: wanted.metadata,
    redacted: redactedChannels(graph),
    createdBy: caller.sub,
    createdAt: new Date().toISOString(),
    start: toJson(start),
  });
  if (accepted === 'busy')
    throw new ApiError('THREAD_BUSY', `A run of the thread ${wanted.threadId} is not over yet; see onBusy`);
  await tryDispatch(deps, id);
}

function toStart(
  { catalog }: ApiDeps,
  { tenantId, sub, roles }: Caller,
  { id, graph, wanted }: { id: string; graph: ValidGraph; wanted: WantedRun },
): RunGraphInput {
  const { name, version, hash, definition } = graph;
  const slice = pinCatalog(definition, { ...catalog, graphs: graph.graphs });
  requireInput(compileShared(definition, slice), wanted.input);
  requireNodes(definition, wanted);
  const { limits, loose } = tighten(limitsOfGraph(definition.limits, catalog.defaults), wanted.limits);
  const refusal = refuseLoose(loose);
  if (refusal) throw toApiError(refusal);
  const { threadId, input, startAt, breakpoints } = wanted;
  const identity = { id, tenantId, threadId, graph: { name, version, hash }, createdBy: { sub, roles }, limits };
  return {
    interpreterVersion: INTERPRETER_VERSION,
    execution: 1,
    identity,
    definition,
    catalog: slice,
    begin: { kind: 'input', input, startAt, breakpoints },
  };
}

/** @throws ApiError when a run names a node that its graph does not have */
function requireNodes({ nodes }: GraphDefinition, { startAt, breakpoints }: WantedRun): void {
  const named = [
    ...(startAt === null ? [] : [{ path: '/startAt', name: startAt }]),
    ...breakpoints.before.map((name, at) => ({ path: `/interruptBefore/${at}`, name })),
    ...breakpoints.after.map((name, at) => ({ path: `/interruptAfter/${at}`, name })),
  ];
  const issues = named
    .filter(({ path, name }) => !Object.hasOwn(nodes, name) && (name !== '*' || path === '/startAt'))
    .map(({ path, name }) => ({ path, message: `There is no node "${name}".${didYouMean(name, Object.keys(nodes))}` }));
  if (issues.length > 0) throw new ApiError('INVALID_REQUEST', 'The graph has no such node', { issues });
}
