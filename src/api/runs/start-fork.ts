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
import { requireGraphOn } from '../administration/set-switch.ts';
import { requireMayStart } from '../administration/require-may-start.ts';
import { acceptAndDispatch, unlessAccepted } from './dispatch-run.ts';
import { newIdentity, newRun, pinnedByRun } from './start-run.ts';
import { requireSound } from './sound-state.ts';
import type { Position } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';

export interface WantedFork {
  readonly checkpoint: string;
  readonly values: JsonObject;
  readonly asNode: string | null;
  /** `null`: the graph of the parent. */
  readonly graph: Json;
}

interface NewFork {
  /** The new run's id, chosen before; the same id again makes no second run, and is refused no more. */
  readonly id: string;
  readonly parent: RunRecord;
  readonly wanted: WantedFork;
}

/**
 * Accepts a new run that begins at a checkpoint of another one.
 * @throws ApiError 404 without such a checkpoint, 409 when it stands for undone calls, 422 when the fork can't begin there, 429 when the quota of the tenant is used up, 503 while the
 *   state is written
 */
export async function startFork(deps: ApiDeps, caller: Caller, fork: NewFork): Promise<void> {
  await unlessAccepted(deps, fork.id, async () => await accept(deps, caller, fork));
}

async function accept(deps: ApiDeps, caller: Caller, { id, parent, wanted }: NewFork): Promise<void> {
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
  await requireGraphOn(deps, { name: pinned.graph.name, tenantId: parent.tenantId });
  const parentRun = await parentOf(deps, parent, { state, start });
  const isSameGraph = pinned.graph.hash === parent.graph.hash;
  const fork = toFork(state, { wanted, parent: parentRun, isSameGraph });
  const { tenantId, input, metadata } = parent;
  const identity = newIdentity(pinned, caller, { id, tenantId, threadId: null });
  const refusal = await deps.graphJobs.do('refuseFork', tenantId, {
    graph: toRunnable(pinned),
    identity,
    fork,
    startedAt: Date.now(),
    underParent: isSameGraph
      ? null
      : { graph: toRunnable(start), fork: toFork(state, { wanted, parent: parentRun, isSameGraph: true }) },
  });
  if (refusal) throw toApiError(hideRefusal(refusal, hidden));
  const begin = { kind: 'fork', fork, ...breakpointsOf(start) } as const;
  const createdBy = caller.sub;
  await acceptAndDispatch(
    deps,
    newRun(pinned, { identity, begin, parentRunId: parent.id, input, metadata, createdBy }),
  );
}

/** Reads what a fork tells deciders of its parent. */
async function parentOf(
  deps: ApiDeps,
  parent: RunRecord,
  { state, start: { begin } }: { state: StoredState; start: RunGraphInput },
): Promise<ParentRun> {
  const { id: checkpoint, runId } = state.checkpoint;
  const closed = await readClosedApprovals(deps.store, parent);
  return {
    runId,
    checkpoint,
    callsSince: await callsSince(deps, state),
    closedApprovals: approvalsToInherit(closed, inheritedBy(begin)?.closedApprovals),
  };
}

/** The parent of the parent, if that is a fork itself. */
function inheritedBy(begin: RunGraphInput['begin']): ParentRun | null {
  if (begin.kind === 'fork') return begin.fork.parent;
  return begin.kind === 'reopen' ? readRun(begin.run).parent : null;
}

/** The number of the parent's calls that approvals in the fork mention. */
const MAX_TOLD = 20;

async function callsSince({ store }: ApiDeps, { checkpoint }: StoredState): Promise<readonly EarlierCall[]> {
  const done: EarlierCall[] = [];
  for await (const call of store.journal.ofTypes(checkpoint.runId, ['tool.called'], { after: checkpoint.seq })) {
    const { node, tool, at, error } = call;
    if (!error) done.push({ node, tool, at });
    if (done.length === MAX_TOLD) break;
  }
  return done;
}

/** A half-filled join names edges of the parent's graph, so a fork with another graph begins without joins. */
function toFork(
  { checkpoint, channels, resumePoint }: StoredState,
  { wanted, parent, isSameGraph }: { wanted: WantedFork; parent: ParentRun; isSameGraph: boolean },
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

/** A fork has the breakpoints of its parent. */
function breakpointsOf({ begin }: RunGraphInput): Pick<RunStart, 'breakpoints'> {
  return begin.kind !== 'reopen' && begin.breakpoints ? { breakpoints: begin.breakpoints } : {};
}

const PAGE_SIZE = 50;

/**
 * Reads the latest closed approvals of a run, as many as a fork takes over, or some more. They are read by pages, as
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
