import type { ForkStart, RunStart } from '../../graph/advance/index.ts';
import { hideRefusal, inheritedByFork } from '../../graph/redaction/index.ts';
import { approvalsToInherit, readRun, MAX_INHERITED, closedApprovals } from '../../graph/run/index.ts';
import type { EarlierCall, ParentRun, ClosedApproval } from '../../graph/run/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { StoredState } from '../../store/checkpoints.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import { hiddenFrom, refusePlaceholders } from '../redaction.ts';
import { findState } from './read-state.ts';
import { requireMayStart, requireGraphSwitchedOn } from '../administration/require-may-start.ts';
import { acceptAndDispatch, unlessAccepted } from './dispatch-run.ts';
import { requireSound } from './sound-state.ts';
import type { Position } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { newIdentity, newRun, pinnedByRun } from './new-run.ts';

export interface WantedFork {
  readonly checkpoint: string;
  readonly values: JsonObject;
  readonly asNode: string | null;
  /** `null` for the graph of the parent. */
  readonly graph: Json;
}

interface NewFork {
  /** The id of the new run. A repeated request with the same id creates no second run and is not refused. */
  readonly id: string;
  readonly parent: RunRecord;
  readonly wanted: WantedFork;
}

/**
 * Accepts a new run that starts from a checkpoint of another one.
 * @throws ApiError 404 when the checkpoint does not exist, 409 when it relies on undone calls, 422 when the fork can't
 * start there, 429 when the tenant's quota is used up, 503 while the state is being written
 */
export async function startFork(deps: ApiDeps, caller: Caller, fork: NewFork): Promise<void> {
  await unlessAccepted(deps, fork.id, async () => await acceptFork(deps, caller, fork));
}

async function acceptFork(deps: ApiDeps, caller: Caller, { id, parent, wanted }: NewFork): Promise<void> {
  if (!deps.settings.forking)
    throw new ApiError('FORBIDDEN', 'This installation does not let runs be forked (`forking` in its configuration)');
  await requireMayStart(deps, { tenantId: parent.tenantId, id });
  const state = await findState(deps.store, parent.id, wanted.checkpoint);
  if (!state) throw new ApiError('UNKNOWN_CHECKPOINT', `Run ${parent.id} has no checkpoint "${wanted.checkpoint}"`);
  await requireSound(deps.store, parent, state.checkpoint);
  const hidden = hiddenFrom(caller, parent);
  refusePlaceholders(wanted.values, hidden);
  const { start, pinned } = await pinnedByRun(deps, parent, {
    graph: wanted.graph,
    runId: id,
    inherit: (redaction) => inheritedByFork(redaction, state.resumePoint),
  });
  await requireGraphSwitchedOn(deps, parent.tenantId, pinned.graph.name);
  const parentRun = await readParent(deps, parent, state, start.begin);
  const isSameGraph = pinned.graph.hash === parent.graph.hash;
  const fork = toFork(state, wanted, parentRun, isSameGraph);
  const { tenantId, input, metadata } = parent;
  const identity = newIdentity(pinned, caller, { id, tenantId, threadId: null });
  const refusal = await deps.graphJobs.do('refuseFork', tenantId, toRunnable(pinned), identity, {
    fork,
    startedAt: Date.now(),
    underParent: isSameGraph ? null : { graph: toRunnable(start), fork: toFork(state, wanted, parentRun, true) },
  });
  if (refusal) throw toApiError(hideRefusal(refusal, hidden));
  const begin = { kind: 'fork', fork, ...breakpointsOf(start) } as const;
  const createdBy = caller.sub;
  await acceptAndDispatch(
    deps,
    newRun(pinned, { identity, begin, parentRunId: parent.id, input, metadata, createdBy }),
  );
}

/** Reads what a fork presents of its parent to approvers. */
async function readParent(
  deps: ApiDeps,
  parent: RunRecord,
  state: StoredState,
  begin: RunGraphInput['begin'],
): Promise<ParentRun> {
  const { id: checkpoint, runId } = state.checkpoint;
  const closed = await readClosedApprovals(deps.store, parent);
  return {
    runId,
    checkpoint,
    callsSince: await readCallsSince(deps, state),
    closedApprovals: approvalsToInherit(closed, parentOfParent(begin)?.closedApprovals),
  };
}

/** Returns the parent of the parent, if that is a fork too. */
function parentOfParent(begin: RunGraphInput['begin']): ParentRun | null {
  if (begin.kind === 'fork') return begin.fork.parent;
  return begin.kind === 'reopen' ? readRun(begin.run).parent : null;
}

/** The most calls of the parent that approvals in the fork list. */
const MAX_EARLIER_CALLS = 20;

async function readCallsSince({ store }: ApiDeps, { checkpoint }: StoredState): Promise<readonly EarlierCall[]> {
  const done: EarlierCall[] = [];
  for await (const call of store.journal.ofTypes(checkpoint.runId, ['tool.called'], { after: checkpoint.seq })) {
    const { node, tool, at, error } = call;
    if (!error) done.push({ node, tool, at });
    if (done.length === MAX_EARLIER_CALLS) break;
  }
  return done;
}

/** Partly filled joins refer to edges of the parent's graph, so a fork with another graph starts without them. */
function toFork(
  { checkpoint, channels, resumePoint }: StoredState,
  wanted: WantedFork,
  parent: ParentRun,
  isSameGraph: boolean,
): ForkStart {
  const { step } = checkpoint;
  return {
    parent,
    channels,
    resumePoint: isSameGraph ? resumePoint : { ...resumePoint, joins: {} },
    step,
    values: wanted.values,
    asNode: wanted.asNode,
  };
}

/** A fork inherits the breakpoints of its parent. */
function breakpointsOf({ begin }: RunGraphInput): Pick<RunStart, 'breakpoints'> {
  return begin.kind !== 'reopen' && begin.breakpoints ? { breakpoints: begin.breakpoints } : {};
}

const PAGE_SIZE = 50;

/**
 * Reads the latest closed approvals of a run, at least as many as a fork takes over. They are read in pages, because
 * their details may be large.
 */
export async function readClosedApprovals(
  { approvals }: Pick<Store, 'approvals'>,
  { id: runId, tenantId }: Pick<RunRecord, 'id' | 'tenantId'>,
): Promise<readonly ClosedApproval[]> {
  const closed: ClosedApproval[] = [];
  let next: Position | null = null;
  do {
    const page = await approvals.list(tenantId, { runId }, { limit: PAGE_SIZE, ...(next && { after: next }) });
    closed.push(...closedApprovals(page.items));
    next = page.next;
  } while (next !== null && closed.length < MAX_INHERITED);
  return closed;
}
