import { INTERPRETER_VERSION, pinCatalog } from '../../graph/definition/index.ts';
import { toJson, toJsonObject } from '../../graph/values/index.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import type { RunBeginning, RunIdentity } from '../../graph/advance/index.ts';
import { traceOfStart } from '../../telemetry/traces/traceparent.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { GraphDefinition, Limits, Catalog } from '../../graph/definition/index.ts';
import type { InheritedRedaction, Redaction } from '../../graph/redaction/index.ts';
import { limitsOfRun } from '../../graph/run/index.ts';
import type { LimitsOfRun, Run } from '../../graph/run/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import type { ValidGraph } from '../graphs/resolve-graph.ts';
import { ApiError } from '../http/errors.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import type { RunnableGraph } from '../graph-jobs/jobs.ts';
import { inheritedChannels } from './dispatch-run.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunRecord } from '../../store/runs.ts';
import { unknownRun } from './read-run.ts';

/** The fields of a new run that do not follow from its graph; by default it has no thread. */
export interface RunOrigin
  extends
    Pick<NewRun, 'input' | 'metadata' | 'createdBy'>,
    Partial<Pick<NewRun, 'threadId' | 'onBusy' | 'parentRunId' | 'replay' | 'limits'>> {
  readonly identity: RunIdentity;
  readonly begin: RunBeginning;
}

/** Builds the row of a new run, with its workflow's input. */
export function newRun(pinned: PinnedGraph, { identity, begin, ...origin }: RunOrigin): NewRun {
  const { given, definition, catalog, limits, redaction } = pinned;
  const { id, tenantId, graph } = identity;
  const trace = traceOfStart({ id, tenantId, graph: graph.name, threadId: identity.threadId });
  const start: RunGraphInput = {
    interpreterVersion: INTERPRETER_VERSION,
    execution: 1,
    identity,
    definition,
    catalog,
    begin,
    ...(trace && { trace }),
  };
  return {
    id,
    tenantId,
    graph,
    definition: given,
    threadId: null,
    onBusy: 'reject',
    parentRunId: null,
    replay: null,
    limits: toJsonObject(limits.readable),
    redaction,
    createdAt: new Date().toISOString(),
    start: toJson(start),
    ...origin,
  };
}

/** Builds the identity of a caller's run. */
export function newIdentity(
  { graph, limits: { limits } }: PinnedGraph,
  caller: Caller,
  run: Pick<RunIdentity, 'id' | 'tenantId' | 'threadId'>,
): RunIdentity {
  return { ...run, graph, createdBy: toPrincipal(caller), limits };
}

/** A graph with everything that its runs pin. */
export interface PinnedGraph {
  readonly graph: Run['graph'];
  /** The definition as published. */
  readonly given: JsonObject;
  /** The definition with exact versions in all references. */
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  readonly limits: LimitsOfRun;
  readonly redaction: Redaction;
}

/** A graph, and the other options of a new run. */
interface GraphToPin {
  readonly valid: ValidGraph;
  readonly limits?: Limits;
  readonly inherited?: InheritedRedaction;
}

/** Pins a graph for a new run of a tenant. */
export async function pinGraph(
  { catalog, graphJobs }: Pick<ApiDeps, 'catalog' | 'graphJobs'>,
  tenantId: string,
  { valid, limits = {}, inherited = {} }: GraphToPin,
): Promise<PinnedGraph> {
  const { name, version, hash, given, definition, graphs } = valid;
  const pinned = pinCatalog(definition, { ...catalog, graphs });
  return {
    graph: { name, version, hash },
    given: toJsonObject(given),
    definition,
    catalog: pinned,
    limits: limitsOfRun({ definition, catalog }, limits),
    redaction: await graphJobs.do('findRedaction', tenantId, { definition, catalog: pinned }, inherited),
  };
}

/** The input of an earlier run, and the graph of a run that is based on it. */
export interface EarlierRun {
  readonly start: RunGraphInput;
  readonly pinned: PinnedGraph;
}

/** A run that is based on an earlier one. */
interface DerivedRun {
  /** `null` for the graph of the earlier run. */
  readonly graph: Json;
  /** The id of the new run. */
  readonly runId: string;
  /** Returns the redaction of the data that the new run inherits. */
  readonly inherit: (redaction: Redaction, begin: RunGraphInput['begin']) => InheritedRedaction;
}

/**
 * Reads the graph that a run has pinned, or pins another graph instead.
 * @throws ApiError 404 when the run has been deleted in the meantime
 */
export async function pinnedByRun(
  deps: Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>,
  run: RunRecord,
  { graph: reference, runId, inherit }: DerivedRun,
): Promise<EarlierRun> {
  const start = await readRunStart(deps, run);
  if (reference === null) return { start, pinned: await readPinnedGraph(deps, run, start) };
  const valid = await resolveGraph(reference, { ...deps, tenantId: run.tenantId }, runId);
  const { channels = [], ...paths } = inherit(run.redaction, start.begin);
  const ofThread = await inheritedChannels(deps.store, run.predecessorId);
  const inherited = { ...paths, channels: [...channels, ...ofThread] };
  return { start, pinned: await pinGraph(deps, run.tenantId, { valid, inherited }) };
}

/**
 * Reads the workflow input with which a run was started.
 * @throws ApiError 404 when the run has been deleted in the meantime
 */
export async function readRunStart(
  { store }: Pick<ApiDeps, 'store'>,
  { id }: Pick<RunRecord, 'id'>,
): Promise<RunGraphInput> {
  const start = await store.runs.startOf(id);
  if (start === null) throw unknownRun(id);
  if (!isStart(start)) throw new TypeError(`Run ${id} has nothing that it was started with`);
  return start;
}

async function readPinnedGraph(
  { store }: Pick<ApiDeps, 'store'>,
  { id, graph, limits, redaction }: RunRecord,
  { definition, catalog }: RunGraphInput,
): Promise<PinnedGraph> {
  const given = await store.graphs.definition(graph.hash);
  if (!given) throw unknownRun(id);
  return { graph, given, definition, catalog, limits: limitsOfRun({ definition, catalog }, limits), redaction };
}

/** @throws ApiError 422 with all invalid or missing parts of the input */
export async function requireInput(
  { graphJobs }: Pick<ApiDeps, 'graphJobs'>,
  tenantId: string,
  graph: RunnableGraph,
  input: JsonObject,
): Promise<void> {
  const faults = await graphJobs.do('checkInput', tenantId, toRunnable(graph), input);
  const missing = faults.missing.map((name) => ({ path: '/input', message: `"${name}" is missing` }));
  if (missing.length > 0) throw new ApiError('MISSING_INPUT', 'The graph needs more input', { issues: missing });
  const issues = faults.issues.map(({ path, message }) => ({ path: `/input${path}`, message }));
  if (issues.length > 0) throw new ApiError('INVALID_INPUT', 'The input does not fit the graph', { issues });
}
