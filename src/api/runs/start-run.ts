import { INTERPRETER_VERSION, pinCatalog } from '../../graph/definition/index.ts';
import type { GraphDefinition, Limits, Catalog } from '../../graph/definition/index.ts';
import type { InheritedRedaction, Redaction } from '../../graph/redaction/index.ts';
import { limitsOfRun } from '../../graph/run/index.ts';
import type { Breakpoints, LimitsOfRun, Run } from '../../graph/run/index.ts';
import { didYouMean, withSuggestions, toJson, toJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { NewRun } from '../../store/accept-run.ts';
import { MAX_QUEUED } from '../../store/thread-queue.ts';
import type { ApiDeps } from '../deps.ts';
import { resolveGraph } from '../graphs/resolve-graph.ts';
import type { ValidGraph } from '../graphs/resolve-graph.ts';
import { toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import type { RunnableGraph } from '../graph-jobs/jobs.ts';
import { requireGraphOn } from '../administration/set-switch.ts';
import { requireMayStart } from '../administration/require-may-start.ts';
import { acceptAndDispatch, unlessAccepted, inheritedChannels } from './dispatch-run.ts';
import type { RunBeginning, RunIdentity } from '../../graph/advance/index.ts';
import type { OutputsTest, TestedRun } from '../../simulation/play-outputs.ts';
import { traceOfStart } from '../../telemetry/traces/traceparent.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { RunRecord } from '../../store/runs.ts';
import { unknownRun } from './run-json.ts';

/** A run as a caller requests it. */
export interface WantedRun {
  readonly graph: Json;
  readonly input: JsonObject;
  readonly threadId: string | null;
  readonly onBusy: NewRun['onBusy'];
  readonly limits: Limits;
  readonly startAt: string | null;
  readonly breakpoints: Breakpoints;
  readonly metadata: JsonObject;
  /** What is already hidden of the input; nothing by default. */
  readonly inherited?: InheritedRedaction;
}

export type StartDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

/**
 * Accepts a run and dispatches it if possible; otherwise the sweeper does so later.
 * @param id the id of the run; a repeated request with the same id creates no second run and is not refused
 * @throws ApiError 403 when the tenant is suspended or the graph is switched off, 409 when the thread is busy, 429 when
 * the tenant's quota is used up
 */
export async function startRun(deps: StartDeps, caller: Caller, id: string, wanted: WantedRun): Promise<void> {
  await unlessAccepted(deps, id, async () => await accept(deps, caller, id, wanted));
}

async function accept(deps: StartDeps, caller: Caller, id: string, wanted: WantedRun): Promise<void> {
  const { tenantId, permissions, sub: createdBy } = caller;
  await requireMayStart(deps, { tenantId, id });
  const valid = await resolveGraph(wanted.graph, { ...deps, tenantId, permissions }, id);
  await requireGraphOn(deps, tenantId, valid.name);
  const pinned = await pinGraph(deps, tenantId, {
    valid,
    limits: wanted.limits,
    inherited: wanted.inherited ?? {},
  });
  await checkWanted(deps, caller, pinned, wanted);
  const { threadId, onBusy, input, metadata, startAt, breakpoints } = wanted;
  const identity = newIdentity(pinned, caller, { id, tenantId, threadId });
  const begin = { kind: 'input', input, startAt, breakpoints } as const;
  const run = newRun(pinned, { identity, begin, threadId, onBusy, input, metadata, createdBy });
  if ((await acceptAndDispatch(deps, run)) === 'busy')
    throw new ApiError('THREAD_BUSY', BUSY[onBusy](String(threadId)));
}

const isFull = (thread: string): string => `${MAX_QUEUED} runs wait in the queue of the thread ${thread} already`;

const BUSY: Readonly<Record<NewRun['onBusy'], (thread: string) => string>> = {
  reject: (thread) => `A run of the thread ${thread} is not over yet; see onBusy`,
  enqueue: isFull,
  interrupt: isFull,
};

/** The id of each test run; nothing is stored under it. */
const TEST_RUN = 'test';

/**
 * Runs a published graph with given node outputs, in a worker thread. No run is stored and no call is made.
 * @param reference `name`, `name@version` or `name@alias`
 * @throws ApiError 404 when the graph does not exist; 422 when it does not accept the input or exceeds the limits of a
 * job
 */
export async function testGraph(
  deps: Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>,
  caller: Caller,
  reference: string,
  test: OutputsTest,
): Promise<TestedRun> {
  const { tenantId, permissions } = caller;
  const valid = await resolveGraph(reference, { ...deps, tenantId, permissions }, TEST_RUN);
  const pinned = await pinGraph(deps, tenantId, { valid });
  await requireInput(deps, tenantId, pinned, test.input);
  const identity = newIdentity(pinned, caller, { id: TEST_RUN, tenantId, threadId: null });
  return await deps.graphJobs.do('test', tenantId, toRunnable(pinned), identity, test, Date.now());
}

/**
 * @throws ApiError 422 when the graph does not accept the input, the nodes or the limits; 403 when the run would start
 * after an approval that the caller may not decide
 */
async function checkWanted(
  { graphJobs }: Pick<ApiDeps, 'graphJobs'>,
  caller: Caller,
  pinned: PinnedGraph,
  wanted: WantedRun,
): Promise<void> {
  const { tenantId } = caller;
  const { input, startAt } = wanted;
  await requireInput({ graphJobs }, tenantId, pinned, input);
  requireNodes(pinned.definition, wanted);
  if (pinned.limits.refusal) throw toApiError(pinned.limits.refusal);
  if (startAt === null) return;
  const by = toPrincipal(caller);
  const refusal = await graphJobs.do('refuseStartAt', tenantId, toRunnable(pinned), startAt, by, Date.now());
  if (refusal) throw toApiError(refusal);
}

/** @throws ApiError 422 when a named node is not in the graph */
function requireNodes({ nodes }: GraphDefinition, { startAt, breakpoints }: WantedRun): void {
  const named = [
    ...(startAt === null ? [] : [{ path: '/startAt', name: startAt }]),
    ...breakpoints.before.map((name, at) => ({ path: `/interruptBefore/${at}`, name })),
    ...breakpoints.after.map((name, at) => ({ path: `/interruptAfter/${at}`, name })),
  ];
  const known = Object.keys(nodes);
  const issues = withSuggestions(() =>
    named
      .filter(({ path, name }) => !Object.hasOwn(nodes, name) && (name !== '*' || path === '/startAt'))
      .map(({ path, name }) => ({ path, message: `There is no node "${name}".${didYouMean(name, known)}` })),
  );
  if (issues.length > 0) throw new ApiError('INVALID_REQUEST', 'The graph has no such node', { issues });
}

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
  /** Returns what is hidden of the data that the new run takes over. */
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
  const start = await startOf(deps, run);
  if (reference === null) return { start, pinned: await pinnedOf(deps, run, start) };
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
export async function startOf(
  { store }: Pick<ApiDeps, 'store'>,
  { id }: Pick<RunRecord, 'id'>,
): Promise<RunGraphInput> {
  const start = await store.runs.startOf(id);
  if (start === null) throw unknownRun(id);
  if (!isStart(start)) throw new TypeError(`Run ${id} has nothing that it was started with`);
  return start;
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
