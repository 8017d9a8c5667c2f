import { fromEndedState } from '../../graph/journal/index.ts';
import type { Refusal, Run, SentSignal, SignalResult } from '../../graph/run/index.ts';
import { isEnded, readRun } from '../../graph/run/index.ts';
import { toJson } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import { findState } from '../states/read-state.ts';
import { poll } from '../temporal/poll.ts';
import { tryDispatch } from './dispatch-run.ts';
import { inheritedUndone } from '../states/sound-state.ts';

type ReopenDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'logger'>;

/**
 * Signals a run that has ended. A signal that it takes starts a new execution of its workflow.
 * @throws ApiError 409 when its thread has gone on without it, 503 while its state is being written
 */
export async function reopen(deps: ReopenDeps, run: RunRecord, signal: SentSignal): Promise<SignalResult> {
  const ended = await findEnded(deps, run);
  const result = ended && (await reopenEnded(deps, run, { ended, signal }));
  if (result) return result;
  const refusal = (await isReopened(deps, run)) ? changedMeanwhile(signal.name) : alreadyEnded(run);
  return { id: signal.payload.signalId, taken: false, refusal };
}

/** Tries the signal: the interpreter is pure, so the new execution comes to the same result. */
async function reopenEnded(
  deps: ReopenDeps,
  run: RunRecord,
  { ended: { start, lastSeq, whole }, signal }: { ended: EndedRun; signal: SentSignal },
): Promise<SignalResult | null> {
  const now = Date.now();
  const { name, payload } = signal;
  const { signalId: id } = payload;
  const known = whole.signalResults.find((earlier) => earlier.id === id);
  if (known) return known;
  const trial = { graph: toRunnable(start), run: whole, signal, now };
  const { result, view } = await deps.graphJobs.do('signalEnded', run.tenantId, trial);
  if (!result?.taken) return result;
  const undone = isEnded(view.status) ? null : await inheritedUndone(deps.store, run);
  if (undone !== null)
    return { id, taken: false, refusal: { code: 'NOT_ALLOWED_NOW', message: `The state of the run ${undone}` } };
  const reopened = await deps.store.endedRuns.reopen(run.id, {
    lastSeq,
    reopening: toJson({ kind: 'reopen', run: whole, name, payload }),
    view,
    at: new Date(now).toISOString(),
  });
  if (reopened === 'busy') throw threadGone(run);
  if (reopened === 'changed') return { id, taken: false, refusal: changedMeanwhile(name) };
  await tryDispatch(deps, run.id);
  return result;
}

interface EndedRun {
  readonly start: RunGraphInput;
  readonly lastSeq: number;
  readonly whole: Run;
}

async function findEnded({ store }: Pick<ApiDeps, 'store'>, { id }: RunRecord): Promise<EndedRun | null> {
  const ended = await store.endedRuns.find(id);
  if (!ended) return null;
  const { start, lastSeq } = ended;
  const kept = readRun(ended.state);
  const state = await findState(store, id, kept.checkpointId);
  return isStart(start) ? { start, lastSeq, whole: fromEndedState(kept, state?.channels ?? {}) } : null;
}

function threadGone({ threadId }: RunRecord): ApiError {
  return new ApiError('THREAD_BUSY', `The thread ${threadId} has gone on, or is about to; fork the run instead`);
}

/** An edit names the checkpoint that it corrects, and there is a newer one now. */
function changedMeanwhile(signal: string): Refusal {
  return signal === 'edit'
    ? { code: 'STALE', message: 'The state has changed in this moment; look again' }
    : { code: 'NOT_ALLOWED_NOW', message: 'The run has changed in this moment; look again' };
}

function alreadyEnded({ status, view }: RunRecord): Refusal {
  const endedAt = view?.endedAt ?? null;
  return { code: 'NOT_ALLOWED_NOW', message: `The run is ${status}${endedAt === null ? '' : ` since ${endedAt}`}` };
}

/** A run that another request has reopened shows it in its row at once. */
const UNTIL_SEEN = { everyMs: 50, withinMs: 2_000 };

async function isReopened({ store }: ReopenDeps, { id, lastSeq }: RunRecord): Promise<boolean> {
  const hasMoved = (now: RunRecord | null): boolean => now !== null && (!now.isDispatched || now.lastSeq !== lastSeq);
  return hasMoved(await poll(() => store.runs.find(id), hasMoved, UNTIL_SEEN));
}
