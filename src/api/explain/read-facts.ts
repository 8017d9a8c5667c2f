import { isRedacting } from '../../graph/redaction/index.ts';
import type { Redaction } from '../../graph/redaction/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { BeginOfCall } from '../../store/calls/call-events.ts';
import type { TaskFailureNote } from '../../store/failing-runs.ts';
import { isOffFor } from '../../store/rulings/known-rulings.ts';
import type { RunRecord } from '../../store/runs.ts';
import { waitsFor } from '../approvals/waits-for.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { shownApproval, shownEvent } from '../redaction/shown-approval.ts';
import { toRunJson } from '../runs/run-json.ts';
import { isStart } from '../../workflows/contract.ts';
import type { Facts, Stop } from './facts.ts';
import { readWaysOn } from './read-ways-on.ts';
import { findSwitchedOff } from './find-switched-off.ts';

type ReadDeps = Pick<ApiDeps, 'store' | 'seals' | 'graphJobs' | 'logger'>;

/** Reads what explains a run to a caller, without asking Temporal. */
export async function readFacts(deps: ReadDeps, caller: Caller, run: RunRecord): Promise<Facts> {
  const { seals } = deps;
  const hidden = hiddenFrom(caller, run);
  const hasEnded = isEnded(run.status);
  const [open, stopped, queue, waysOn] = await Promise.all([
    hasEnded ? NOTHING_OPEN : readOpen(deps, run),
    readStop(deps, run, hidden),
    readQueue(deps, run),
    readWaysOn(deps, caller, run),
  ]);
  const { retrying, approvals, note, switchedOff } = open;
  return {
    run: toRunJson(run, caller, { retrying }),
    approvals: approvals.map((approval) => ({
      approval: shownApproval(approval, hidden, seals),
      isOwn: waitsFor(caller, approval),
    })),
    stopped,
    queue,
    ...waysOn,
    isLive: run.isDispatched && !hasEnded,
    failing: failingOf(note, hidden),
    checkpoint: run.view?.checkpointId ?? null,
    deadline: run.view?.deadline ?? null,
    switchedOff,
    permissions: caller.permissions,
  };
}

/** What a worker has noted of a run's workflow task; only what the run's own code says is quoted. */
function failingOf(note: TaskFailureNote | null, hidden: Redaction): Facts['failing'] {
  if (!note) return null;
  return { by: note.by, message: note.by === 'code' && !isRedacting(hidden) ? note.reason : null };
}

/** What only a run that has not ended has. */
async function readOpen(deps: ReadDeps, run: RunRecord) {
  const { ledger, approvals: asked, failingRuns } = deps.store;
  const [retrying, approvals, note, switchedOff] = await Promise.all([
    ledger.retrying(run.id),
    asked.ofRun(run.id, 'pending'),
    failingRuns.find(run.id),
    readSwitchedOff(deps, run),
  ]);
  return { retrying, approvals, note, switchedOff };
}

const NOTHING_OPEN: Awaited<ReturnType<typeof readOpen>> = { retrying: [], approvals: [], note: null, switchedOff: [] };

/** The graph is read only while something is off. */
async function readSwitchedOff({ store }: ReadDeps, { id, tenantId, view }: RunRecord): Promise<Facts['switchedOff']> {
  const off = (await store.rulings.now()).switchedOff.filter((one) => isOffFor(one, tenantId));
  if (off.length === 0 || !view) return [];
  const [start, open] = await Promise.all([store.runs.startOf(id), readOpenCalls({ store }, { id, view })]);
  return isStart(start) ? findSwitchedOff(off, start, { next: view.next, open }) : [];
}

/** Those of the superstep that is open: what has been given up before has no end. */
async function readOpenCalls(
  { store: { calls, checkpoints } }: Pick<ReadDeps, 'store'>,
  { id, view }: Pick<RunRecord, 'id' | 'view'>,
): Promise<readonly BeginOfCall[]> {
  const checkpointId = view?.checkpointId ?? null;
  const checkpoint = checkpointId === null ? null : await checkpoints.find(id, checkpointId);
  return await calls.open(id, checkpoint?.seq ?? 0);
}

/** The types of the events that stop a run, by the status that it has then. */
const STOPPING = { paused: 'run.paused', canceled: 'run.canceled' } as const;

/** Finds who has paused or canceled a run. */
async function readStop({ store, seals }: ReadDeps, run: RunRecord, hidden: Redaction): Promise<Stop | null> {
  const { status } = run;
  if (status !== 'paused' && status !== 'canceled') return null;
  const event = await store.journal.lastOfType(run.id, STOPPING[status]);
  const shown = event && shownEvent(event, hidden, seals);
  if (shown?.type !== 'run.paused' && shown?.type !== 'run.canceled') return null;
  return { by: shown.by, reason: shown.reason, at: shown.at };
}

async function readQueue({ store }: ReadDeps, run: RunRecord): Promise<Facts['queue']> {
  if (!run.isQueued || run.threadId === null || isEnded(run.status)) return null;
  const thread = await store.threads.find(run.tenantId, run.threadId);
  return { aheadRunId: thread?.activeRunId ?? null };
}
