import { isRedacting } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { hasLostSeveral, isEnded, nodeOfIntervention, readRun } from '../../graph/run/index.ts';
import type { Approval, Run } from '../../graph/run/index.ts';
import { kindOfCall, nameOfCalled } from '../../store/calls/calls.ts';
import type { BeginOfCall, CallKind } from '../../store/calls/calls.ts';
import type { TaskFailureNote } from '../../store/failing-runs.ts';
import { isOffFor } from '../../store/known-overrides.ts';
import { isDispatchedAndOpen } from '../../store/runs.ts';
import type { RunRecord } from '../../store/runs.ts';
import { isPendingForCaller } from '../approvals/inbox.ts';
import type { ApiDeps } from '../deps.ts';
import { toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom, redactApproval, redactEvent } from '../redaction.ts';
import { toRunJson } from '../runs/run-json.ts';
import { isStart } from '../../workflows/contract.ts';
import type { Obstacle } from '../../wording/index.ts';
import type { ExplanationFacts, BlockingSwitch } from './reasons.ts';
import { namesUsed } from '../../graph/definition/index.ts';
import type { Catalog, CatalogKind, GraphDefinition } from '../../graph/definition/index.ts';
import type { Store } from '../../store/store.ts';
import type { Switch } from '../../store/switches.ts';
import { inheritedUndone, newestForkPoint } from '../runs/sound-state.ts';

type ReadDeps = Pick<ApiDeps, 'store' | 'fingerprints' | 'graphJobs' | 'logger' | 'settings'>;

/** Reads the facts that explain a run to a caller, without a request to Temporal. */
export async function readFacts(deps: ReadDeps, caller: Caller, run: RunRecord): Promise<ExplanationFacts> {
  const { fingerprints } = deps;
  const hidden = hiddenFrom(caller, run);
  const hasEnded = isEnded(run.status);
  const [open, stopped, queue, failure] = await Promise.all([
    hasEnded ? NOTHING_OPEN : readOpenApprovals(deps, run),
    readStop(deps, run, hidden),
    readQueue(deps, run),
    readFailure(deps, caller, run),
  ]);
  const { retrying, approvals, note, switchedOff } = open;
  return {
    run: toRunJson(run, caller, { retrying }),
    approvals: approvals.map((approval) => ({
      approval: redactApproval(approval, hidden, fingerprints),
      isOwn: isPendingForCaller(caller, approval),
    })),
    stopped,
    queue,
    ...failure,
    isLive: isDispatchedAndOpen(run),
    failing: readFailingTask(note, hidden),
    checkpoint: run.view?.checkpointId ?? null,
    deadline: run.view?.deadline ?? null,
    switchedOff,
    forking: deps.settings.forking,
    permissions: caller.permissions,
  };
}

/** Maps a worker's note of a failing workflow task. Only messages of the run's own code are quoted. */
function readFailingTask(note: TaskFailureNote | null, hidden: Redaction): ExplanationFacts['failing'] {
  if (!note) return null;
  return { by: note.by, message: note.by === 'code' && !isRedacting(hidden) ? note.reason : null };
}

/** The most pending approvals that are explained, oldest first; a run may have any number. */
const MAX_APPROVALS = 50;

/** Reads the facts that only an active run has. */
async function readOpenApprovals(deps: ReadDeps, run: RunRecord) {
  const { ledger, approvals: asked, failingRuns } = deps.store;
  const [retrying, approvals, note, switchedOff] = await Promise.all([
    ledger.retrying(run.id),
    asked.ofRun(run.id, 'pending', MAX_APPROVALS),
    failingRuns.find(run.id),
    readSwitchedOff(deps, run),
  ]);
  return { retrying, approvals, note, switchedOff };
}

const NOTHING_OPEN: Awaited<ReturnType<typeof readOpenApprovals>> = {
  retrying: [],
  approvals: [],
  note: null,
  switchedOff: [],
};

/** The graph is read only if a switch is off. */
async function readSwitchedOff(
  { store }: ReadDeps,
  { id, tenantId, view }: RunRecord,
): Promise<ExplanationFacts['switchedOff']> {
  const off = (await store.overrides.now()).switchedOff.filter((one) => isOffFor(one, tenantId));
  if (off.length === 0 || !view) return [];
  const [start, open] = await Promise.all([store.runs.startOf(id), readOpenCalls({ store }, { id, view })]);
  return isStart(start) ? findSwitchedOff(off, start, view.next, open) : [];
}

/** Reads the open calls of the current superstep. Calls that were abandoned before have no end event either. */
async function readOpenCalls(
  { store: { calls, checkpoints } }: Pick<ReadDeps, 'store'>,
  { id, view }: Pick<RunRecord, 'id' | 'view'>,
): Promise<readonly BeginOfCall[]> {
  const checkpointId = view?.checkpointId ?? null;
  const checkpoint = checkpointId === null ? null : await checkpoints.find(id, checkpointId);
  return await calls.open(id, checkpoint?.seq ?? 0);
}

/** The type of the event that stops a run, by the resulting status. */
const STOPPING = { paused: 'run.paused', canceled: 'run.canceled' } as const;

/** Finds who has paused or canceled a run. */
async function readStop(
  { store, fingerprints }: ReadDeps,
  run: RunRecord,
  hidden: Redaction,
): Promise<ExplanationFacts['stopped']> {
  const { status } = run;
  if (status !== 'paused' && status !== 'canceled') return null;
  const event = await store.journal.lastOfType(run.id, STOPPING[status]);
  const visible = event && redactEvent(event, hidden, fingerprints);
  if (visible?.type !== 'run.paused' && visible?.type !== 'run.canceled') return null;
  return { by: visible.by, reason: visible.reason, at: visible.at };
}

async function readQueue({ store }: ReadDeps, run: RunRecord): Promise<ExplanationFacts['queue']> {
  if (run.dispatch.kind !== 'queued' || run.threadId === null || isEnded(run.status)) return null;
  const thread = await store.threads.find(run.tenantId, run.threadId);
  return { aheadRunId: thread?.activeRunId ?? null };
}

/** A graph with the graphs that its runs pin. */
interface PinnedDefinition {
  readonly definition: GraphDefinition;
  readonly catalog: Pick<Catalog, 'graphs'>;
}

type Used = ReturnType<typeof namesUsed>;

/** What a kind of switch blocks. */
interface BlockedUse {
  /** Selects the names of this kind that a node uses. */
  readonly used: (used: Used) => readonly string[];
  /** The kind of call event that proves the use; `null` when no event does. */
  readonly calls: CallKind | null;
}

/** A switched-off graph does not block calls of running runs. */
const BLOCKED_USES: Readonly<Record<CatalogKind, BlockedUse>> = {
  tool: { used: ({ tools }) => tools, calls: 'tool' },
  model: { used: ({ models }) => models, calls: null },
  function: { used: ({ functions }) => functions, calls: 'function' },
  'node-type': { used: ({ nodeTypes }) => nodeTypes, calls: 'node' },
  graph: { used: () => [], calls: null },
};

/** Returns true if a node uses nothing but the named thing and built-in node types. */
function usesOnly(name: string, { tools, models, functions }: Used): boolean {
  return [...tools, ...models, ...functions].every((one) => one === name);
}

/**
 * Finds the switches that block nodes of a run, with the blocked calls. A node that uses several models may be calling
 * another one, so its result is marked as not certain.
 * @param off the switches that are off for the tenant
 * @param open the begin events of calls without an end; the history does not record the begin of model calls
 */
export function findSwitchedOff(
  off: readonly Switch[],
  { definition, catalog }: PinnedDefinition,
  next: readonly string[],
  open: readonly BeginOfCall[],
): readonly BlockingSwitch[] {
  const used = next.flatMap((id) => {
    const node = definition.nodes[id];
    return node ? [{ id, used: namesUsed({ ...definition, nodes: { [id]: node } }, catalog.graphs ?? {}) }] : [];
  });
  return off.flatMap(({ kind, name, reason, changedAt: since }) => {
    const blocked = BLOCKED_USES[kind];
    const calls = open.filter((call) => kindOfCall(call) === blocked.calls && nameOfCalled(call) === name);
    const callers = new Set(calls.map(outermostNode));
    const isCertain = (node: (typeof used)[number]): boolean => callers.has(node.id) || usesOnly(name, node.used);
    const users = used.filter((node) => blocked.used(node.used).includes(name));
    const waiting = blocked.calls === null ? users : users.filter(isCertain);
    if (waiting.length === 0) return [];
    const nodes = waiting.map(({ id }) => id);
    return [{ kind, name, reason, since, isSure: waiting.every(isCertain), nodes, calls: calls.map(switchKeyOf) }];
  });
}

/** Returns the node of the root graph to which a call belongs. */
function outermostNode({ path = [], node }: BeginOfCall): string {
  return path[0] ?? node;
}

function switchKeyOf({ idempotencyKey }: BeginOfCall): string {
  return idempotencyKey;
}

/**
 * Finds the nodes that a caller must not skip, because other people decide their approvals. If the graph can't be
 * compiled now, only the caller's permission counts, so that a broken run can still be explained.
 * @param state the state of a failed run; `null` for a run that waits
 */
async function readGatedForReader(
  { store, graphJobs, logger }: Pick<ApiDeps, 'store' | 'graphJobs' | 'logger'>,
  caller: Caller,
  run: RunRecord,
  state: Run | null,
): Promise<ExplanationFacts['gatedForReader']> {
  const skips = skippableOf(run);
  if (skips.length === 0 || !caller.permissions.has('run:control')) return new Set();
  const [start, approvals] = await Promise.all([
    store.runs.startOf(run.id),
    state ? [] : readAskedApprovals(store, run),
  ]);
  if (!isStart(start)) return new Set();
  const asked = approvals.flatMap((one) => one.requesters);
  const requesters = [run.createdBy, ...(state?.shapedBy ?? []).map(({ sub }) => sub), ...asked];
  const actor = { by: toPrincipal(caller), at: new Date().toISOString(), requesters, approvals };
  const { definition, catalog } = start;
  const nodes = skips.map(({ node }) => node);
  const refusals = await graphJobs
    .do('refuseSkips', run.tenantId, { definition, catalog }, nodes, actor)
    .catch((error: unknown) => {
      logger.warn({ error, run: run.id }, 'it could not be judged who may skip a node');
      return [];
    });
  return new Set(skips.filter((_, at) => refusals[at]).map(({ key }) => key));
}

/**
 * Reads the approvals that matter: the pending ones, and the latest one, which names everyone who has influenced the
 * run.
 */
async function readAskedApprovals(
  { approvals }: Store,
  { id: runId, tenantId }: RunRecord,
): Promise<readonly Approval[]> {
  const [pending, { items: latest }] = await Promise.all([
    approvals.ofRun(runId, 'pending', MAX_APPROVALS),
    approvals.list(tenantId, { runId }, { limit: 1 }),
  ]);
  return [...pending, ...latest];
}

/** Lists what can be skipped: each intervention by its id, and the node that has failed the run by its name. */
function skippableOf({ status, view }: RunRecord) {
  const node = status === 'failed' ? view?.error?.node : undefined;
  const failed = node === undefined ? [] : [{ key: node, node: { node } }];
  const waiting = (view?.waitingFor ?? []).flatMap(({ kind, id }) => {
    const asking = kind === 'intervention' && id !== undefined ? nodeOfIntervention(id) : null;
    return asking && id !== undefined ? [{ key: id, node: asking }] : [];
  });
  return [...failed, ...waiting];
}

/** Reads what prevents a run, or its reader, from continuing after a failure. */
async function readFailure(
  deps: Pick<ApiDeps, 'store' | 'graphJobs' | 'logger'>,
  caller: Caller,
  run: RunRecord,
): Promise<Pick<ExplanationFacts, 'obstacle' | 'gatedForReader'>> {
  const ended = run.status === 'failed' ? await deps.store.endedRuns.find(run.id) : null;
  const state = ended && readRun(ended.state);
  const kind = run.status === 'failed' ? await findObstacle(deps.store, run, state) : null;
  const takesSkip = kind === null || kind === 'several-lost';
  return {
    obstacle: kind && { kind, forkAt: await readForkPoint(deps.store, run) },
    gatedForReader: takesSkip ? await readGatedForReader(deps, caller, run, state) : new Set(),
  };
}

async function readForkPoint(store: Store, run: RunRecord): Promise<Obstacle['forkAt']> {
  const found = await newestForkPoint(store, run);
  return found && { runId: found.runId, checkpoint: found.id };
}

async function findObstacle(store: Store, run: RunRecord, state: Run | null): Promise<Obstacle['kind'] | null> {
  if (!state) return 'stateless';
  if (state.compensation.undone) return 'undone';
  if ((await inheritedUndone(store, run)) !== null) return 'inherited';
  const node = run.view?.error?.node;
  return node !== undefined && hasLostSeveral(state, node) ? 'several-lost' : null;
}
