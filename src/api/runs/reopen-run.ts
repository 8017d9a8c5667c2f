import { reopenRun } from '../../graph/advance/index.ts';
import { compileShared } from '../../graph/compile/index.ts';
import { fromEndedState, toRunView } from '../../graph/journal/index.ts';
import type { RunView } from '../../graph/journal/index.ts';
import type { SignalResult, Run, SentSignal } from '../../graph/run/index.ts';
import { readRun } from '../../graph/run/index.ts';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { findState } from '../states/read-state.ts';
import { tryDispatch } from './dispatch-run.ts';

/**
 * Has a run that has ended take a signal: what becomes of it is tried here, as the interpreter is the same everywhere.
 * One that is taken goes on as a new execution of the run's workflow, which is given the run and the signal.
 * @returns `null`: the run has not ended, or has nothing kept to go on with
 * @throws ApiError 409 when its thread has gone on without it, 409 or 412 when somebody else was faster, 503 while its state is being written
 */
export async function reopen(
  deps: Pick<ApiDeps, 'store' | 'engine' | 'logger'>,
  run: RunRecord,
  signal: SentSignal,
): Promise<SignalResult | null> {
  const ended = await findEnded(deps, run);
  if (!ended) return null;
  const at = Date.now();
  const { start, lastSeq, whole } = ended;
  const { name, payload } = signal;
  const known = whole.outcomes.find(({ id }) => id === payload.decisionId);
  if (known) return known;
  const after = reopenRun(compileShared(start.definition, start.catalog), whole, { name, payload, at }).run;
  const outcome = after.outcomes.find(({ id }) => id === payload.decisionId) ?? null;
  if (!outcome?.taken) return outcome;
  const { limits } = payload;
  const reopened = await deps.store.endedRuns.reopen(run.id, {
    lastSeq,
    reopening: toJson({ kind: 'reopen', run: whole, name, payload }),
    limits: isJsonObject(limits) ? { ...run.limits, ...limits } : run.limits,
    view: viewUntilThen(whole, after),
    at: new Date(at).toISOString(),
  });
  if (reopened === 'busy') throw threadGone(run);
  if (reopened === 'changed') throw changedMeanwhile(name);
  await tryDispatch(deps, run.id);
  return outcome;
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
  const closed = readRun(ended.state);
  const state = await findState(store, id, closed.checkpointId);
  return isStart(start) ? { start, lastSeq, whole: fromEndedState(closed, state?.channels ?? {}) } : null;
}

function threadGone({ threadId }: RunRecord): ApiError {
  return new ApiError('THREAD_BUSY', `The thread ${threadId} has gone on, or is about to; fork the run instead`);
}

/** Somebody else was faster: an edit names the state that it is of, which is an older one now. */
export function changedMeanwhile(signal: string): ApiError {
  return signal === 'edit'
    ? new ApiError('STALE', 'The state has changed in this moment; look again')
    : new ApiError('NOT_ALLOWED_NOW', 'The run has changed in this moment; look again');
}

/** A correction alone leaves a run ended; any other run is at work again. */
function viewUntilThen(before: Run, after: Run): RunView {
  const view = toRunView(before);
  return after.phase === before.phase ? view : { ...view, status: 'running', endedAt: null, output: null, error: null };
}
