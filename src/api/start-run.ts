import { checkInput } from '../graph/check-input.ts';
import { compileGraph } from '../graph/compile.ts';
import type { Limits } from '../graph/definition.ts';
import { toJson, toJsonObject } from '../graph/json.ts';
import type { Json, JsonObject } from '../graph/json.ts';
import { limitsOfGraph, tighten } from '../graph/limits.ts';
import type { RunLimits } from '../graph/run.ts';
import { sliceCatalog } from '../graph/slice-catalog.ts';
import type { RunGraphInput } from '../workflows/contract.ts';
import type { Caller } from './authenticate.ts';
import type { ApiDeps } from './environment.ts';
import { ApiError } from './errors.ts';
import { resolveGraph } from './graph-reference.ts';
import type { ValidGraph } from './graph-reference.ts';

/** A run that somebody wants. */
export interface WantedRun {
  readonly graph: Json;
  readonly input: JsonObject;
  readonly limits: Limits;
  readonly metadata: JsonObject;
}

/**
 * Accepts a run: from here on it will be run, whatever happens to this process. Handing it over to Temporal is tried at
 * once, and again by the sweeper until it is done.
 * @param id the run's id, chosen before; accepting it twice accepts it once
 */
export async function startRun(
  deps: ApiDeps,
  caller: Caller,
  { id, wanted }: { id: string; wanted: WantedRun },
): Promise<void> {
  const graph = await resolveGraph(wanted.graph, caller.tenantId, deps);
  const start = toStart(deps, caller, { id, graph, wanted });
  const { name, version, hash, definition } = graph;
  await deps.store.graphs.keepDefinition(hash, toJsonObject(definition));
  await deps.store.runs.create({
    id,
    tenantId: caller.tenantId,
    graph: { name, version, hash },
    threadId: null,
    input: wanted.input,
    limits: toJsonObject(start.identity.limits),
    metadata: wanted.metadata,
    createdBy: caller.sub,
    createdAt: new Date().toISOString(),
    start: toJson(start),
  });
  await handOver(deps, start).catch((error: unknown) =>
    deps.logger.warn({ error, run: id }, 'a run could not be handed over to Temporal yet'),
  );
}

/** Gives an accepted run to Temporal. */
export async function handOver(
  { engine, store }: Pick<ApiDeps, 'engine' | 'store'>,
  start: RunGraphInput,
): Promise<void> {
  await engine.start(start);
  await store.runs.markHandedOver(start.identity.id, new Date().toISOString());
}

function toStart(
  { catalog }: ApiDeps,
  { tenantId, sub, roles }: Caller,
  { id, graph, wanted }: { id: string; graph: ValidGraph; wanted: WantedRun },
): RunGraphInput {
  const { name, version, hash, definition } = graph;
  const slice = sliceCatalog(definition, catalog);
  const issues = checkInput(compileGraph(definition, slice), wanted.input).map(({ path, message }) => ({
    path: `/input${path}`,
    message,
  }));
  if (issues.length > 0) throw new ApiError('INVALID_INPUT', 'The input does not fit the graph', { issues });
  const limits = tightened(limitsOfGraph(definition.limits, catalog.defaults), wanted.limits);
  const identity = { id, tenantId, threadId: null, graph: { name, version, hash }, createdBy: { sub, roles }, limits };
  const start: RunGraphInput = { interpreterVersion: 1, identity, definition, catalog: slice, input: wanted.input };
  return start;
}

function tightened(ofGraph: RunLimits, asked: Limits): RunLimits {
  const { limits, loose } = tighten(ofGraph, asked);
  if (loose.length === 0) return limits;
  const issues = loose.map(({ name, asked: wanted, allowed }) => ({
    path: `/limits/${name}`,
    message: `A run may only tighten its graph's limits: ${wanted} is over ${allowed}`,
  }));
  throw new ApiError('LIMIT_TOO_LOOSE', 'A limit is looser than the graph allows', { issues });
}
