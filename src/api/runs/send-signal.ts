import { isDatabaseAway } from '../../store/database/database-away.ts';
import { ApiError, effectUnknown, unavailable } from '../http/errors.ts';
import { isEnded, readRun } from '../../graph/run/index.ts';
import type { SignalResult, Refusal, Run, SentSignal, Principal } from '../../graph/run/index.ts';
import type { Dispatch, RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { judgeRunsGuilt, quarantineRun, closingBatch, endTerminatedRun } from './end-terminated-run.ts';
import { fromEndedState } from '../../graph/journal/index.ts';
import { toJson } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { isStart } from '../../workflows/contract.ts';
import type { RunGraphInput } from '../../workflows/contract.ts';
import { toRunnable } from '../graph-jobs/jobs.ts';
import { findState } from './read-state.ts';
import { pollUntil } from '../temporal/requests.ts';
import { dispatchOrLeave, dispatchRun } from './dispatch-run.ts';
import { inheritedUndone } from './sound-state.ts';
import type { Store } from '../../store/store.ts';
import { toPrincipal } from '../http/authenticate.ts';
import type { Caller } from '../http/authenticate.ts';
import { WRITTEN_WITHIN_MS, untilRun } from './until-run.ts';
import type { RequestAttempt } from '../http/admission.ts';
import { unknownRun } from './read-run.ts';

/**
 * Runs `work`, which may deliver a decision or control to its run.
 * @throws ApiError 503 with `mayTakeEffect`, unless the run has refused the signal
 */
export async function afterSending<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isRefusedByRun(error) ? error : effectUnknown(`${PASSED_ON}: ${reasonForUnknownEffect(error)}`, error);
  }
}

const PASSED_ON = 'The request was passed on, and its effect is not known yet; the same Idempotency-Key finds out';

function isRefusedByRun(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 'UNAVAILABLE';
}

function reasonForUnknownEffect(cause: unknown): string {
  if (cause instanceof ApiError) return cause.message;
  return isDatabaseAway(cause)
    ? "the database can't be reached at the moment"
    : 'the server failed, and its log says why';
}

/** After this many failures of its task, a run is ended by a cancel even if the cause is not proven. */
const FEWEST_FOR_CANCEL = 3;

/**
 * Ends a run that can't process a cancel because its workflow task fails.
 * @returns `null` when the task does not fail
 * @throws ApiError 503
 */
async function cancelStuckRun(
  deps: Pick<ApiDeps, 'store' | 'engine' | 'logger'>,
  run: RunRecord,
  { payload: { signalId, by, reason } }: SignedSignal,
): Promise<SignalResult | null> {
  const [task, note] = await Promise.all([deps.engine.failingTask(run), deps.store.failingRuns.find(run.id)]);
  if (!task || (judgeRunsGuilt({ task, note }) === 'none' && task.failures < FEWEST_FOR_CANCEL)) return null;
  const cancel = { signalId, by: by.sub, reason: typeof reason === 'string' ? reason : null };
  await quarantineRun(deps, run, { task, note, cancel });
  return { id: signalId, taken: true, value: null };
}

type ReopenDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'logger'>;

/**
 * Signals an ended run. If the run accepts the signal, a new execution of its workflow starts.
 * @throws ApiError 409 when its thread has continued with a later run, 503 while its state is being written
 */
async function signalEnded(deps: ReopenDeps, run: RunRecord, signal: SentSignal): Promise<SignalResult> {
  const ended = await findEndedRun(deps, run);
  const result = ended && (await reopenEnded(deps, run, ended, signal));
  if (result) return result;
  const refusal = (await isReopened(deps, run)) ? changedMeanwhileRefusal(signal.name) : alreadyEndedRefusal(run);
  return { id: signal.payload.signalId, taken: false, refusal };
}

/** Applies the signal in advance: the interpreter is pure, so the new execution reaches the same result. */
async function reopenEnded(
  deps: ReopenDeps,
  run: RunRecord,
  { start, lastSeq, whole }: EndedRun,
  signal: SentSignal,
): Promise<SignalResult | null> {
  const now = Date.now();
  const { name, payload } = signal;
  const { signalId: id } = payload;
  const known = whole.signalResults.find((earlier) => earlier.id === id);
  if (known) return known;
  const { result, view } = await deps.graphJobs.do('signalEnded', run.tenantId, toRunnable(start), whole, signal, now);
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
  if (reopened === 'busy') throw threadContinued(run);
  if (reopened === 'changed') return { id, taken: false, refusal: changedMeanwhileRefusal(name) };
  await dispatchOrLeave(deps, run.id);
  return result;
}

interface EndedRun {
  readonly start: RunGraphInput;
  readonly lastSeq: number;
  readonly whole: Run;
}

async function findEndedRun({ store }: Pick<ApiDeps, 'store'>, { id }: RunRecord): Promise<EndedRun | null> {
  const ended = await store.endedRuns.find(id);
  if (!ended) return null;
  const { start, lastSeq } = ended;
  const kept = readRun(ended.state);
  const state = await findState(store, id, kept.checkpointId);
  return isStart(start) ? { start, lastSeq, whole: fromEndedState(kept, state?.channels ?? {}) } : null;
}

function threadContinued({ threadId }: RunRecord): ApiError {
  return new ApiError('THREAD_BUSY', `The thread ${threadId} has gone on, or is about to; fork the run instead`);
}

/** An edit names the checkpoint that it corrects; it is refused when a newer one exists. */
function changedMeanwhileRefusal(signal: string): Refusal {
  return signal === 'edit'
    ? { code: 'STALE', message: 'The state has changed in this moment; look again' }
    : { code: 'NOT_ALLOWED_NOW', message: 'The run has changed in this moment; look again' };
}

function alreadyEndedRefusal({ status, view }: RunRecord): Refusal {
  const endedAt = view?.endedAt ?? null;
  return { code: 'NOT_ALLOWED_NOW', message: `The run is ${status}${endedAt === null ? '' : ` since ${endedAt}`}` };
}

/** The row of a run that another request has reopened is updated at once. */
const UNTIL_SEEN = { everyMs: 50, withinMs: 2_000 };

async function isReopened({ store }: ReopenDeps, { id, lastSeq }: RunRecord): Promise<boolean> {
  const hasMoved = (now: RunRecord | null): boolean =>
    now !== null && (now.dispatch.kind !== 'dispatched' || now.lastSeq !== lastSeq);
  return hasMoved(await pollUntil(() => store.runs.find(id), hasMoved, UNTIL_SEEN));
}

/** A signal with its sender. */
export interface SignedSignal extends SentSignal {
  readonly payload: SentSignal['payload'] & {
    readonly by: Principal;
  };
}

/**
 * Signals a queued run: a cancel ends it, and external events are stored until it begins.
 * @returns the result, or the run in its new state if it is no longer queued
 */
async function signalQueued(
  { store }: Pick<ApiDeps, 'store'>,
  run: RunRecord,
  signal: SignedSignal,
): Promise<SignalResult | RunRecord> {
  const take = SIGNALS_OF_QUEUED[signal.name];
  const became = take ? await take(store, run, signal) : NOT_YET;
  if (became === 'dequeued') return await findDequeued(store, run);
  const id = signal.payload.signalId;
  return became === 'taken' ? { id, taken: true, value: null } : { id, taken: false, refusal: became };
}

async function findDequeued({ runs }: Store, { id }: RunRecord): Promise<RunRecord> {
  const run = await runs.find(id);
  if (!run) throw unknownRun(id);
  return run;
}

const NOT_YET: Refusal = { code: 'NOT_ALLOWED_NOW', message: 'The run is queued; it has not begun yet' };
const FULL: Refusal = {
  code: 'BUFFER_FULL',
  message: 'The run is queued, and keeps as many events for its beginning as it may',
};

type TakeSignal = (store: Store, run: RunRecord, signal: SignedSignal) => Promise<'taken' | 'dequeued' | Refusal>;

/** The signals that a queued run accepts. */
const SIGNALS_OF_QUEUED: Readonly<Record<string, TakeSignal>> = {
  async cancel({ threads }, run, { payload }) {
    const reason = typeof payload['reason'] === 'string' ? payload['reason'] : null;
    const event = { type: 'run.canceled', at: new Date().toISOString(), by: payload.by.sub, reason } as const;
    return (await threads.cancelQueued(run, closingBatch(run, event))) ? 'taken' : 'dequeued';
  },
  async event({ threads }, { id }, { name, payload }) {
    const queued = await threads.queueSignal(id, { name, payload });
    return queued === 'full' ? FULL : queued;
  },
};

type SendSignalDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'logger'>;

interface SignalToSend {
  readonly name: string;
  /** Its id becomes the id of the decision, so that the run applies repeated requests once. */
  readonly attempt: RequestAttempt;
  readonly payload: JsonObject;
  /** Refuses the signal before it is sent, unless an earlier attempt of the request has sent it. */
  readonly refusal?: Refusal | null;
}

/**
 * Sends a caller's decision or control to a run and waits for the result.
 * @throws ApiError 503 when no worker answers, with `mayTakeEffect` once the signal may have reached the run; 409 when
 * the run has ended and its thread has continued
 */
export async function sendSignal(
  deps: SendSignalDeps,
  caller: Caller,
  run: RunRecord,
  { name, attempt, payload, refusal }: SignalToSend,
): Promise<SignalResult> {
  const earlier = attempt.isRepetition ? await findEarlierResult(deps, run, attempt.id) : null;
  if (earlier) return earlier;
  if (refusal) return { id: attempt.id, taken: false, refusal };
  const signal = { name, payload: { ...payload, signalId: attempt.id, by: { ...toPrincipal(caller) } } };
  let now: RunRecord | SignalResult = run;
  while (!('taken' in now)) {
    const signalRun: SignalRun = isEnded(now.status) ? signalEnded : SIGNAL_OPEN[now.dispatch.kind];
    now = await signalRun(deps, now, signal);
  }
  return now;
}

interface Cancel {
  /** The id of the signal; the run takes the same one once. */
  readonly id: string;
  readonly reason: string;
}

/**
 * Sends a cancel to a run that has not ended, and does not wait until a worker takes it. A run whose workflow task fails is ended.
 * @returns false when nothing was sent: the run has ended, or Temporal does not have its workflow at the moment
 * @throws ApiError 503
 */
export async function sendCancel(
  deps: SendSignalDeps,
  caller: Caller,
  run: RunRecord,
  { id, reason }: Cancel,
): Promise<boolean> {
  const signal = { name: 'cancel', payload: { reason, signalId: id, by: { ...toPrincipal(caller) } } };
  if (isEnded(run.status) || run.dispatch.kind === 'pending') return false;
  if (run.dispatch.kind === 'queued') return 'taken' in (await signalQueued(deps, run, signal));
  if (!(await deps.engine.send(run, signal.name, signal.payload))) return false;
  await cancelStuckRun(deps, run, signal);
  return true;
}

/** A quarantined run can't be queried, because its workflow task would fail again. */
async function findEarlierResult({ engine }: SendSignalDeps, run: RunRecord, id: string): Promise<SignalResult | null> {
  const end = isEnded(run.status) ? await engine.workflowEnd(run) : null;
  if (end?.kind !== 'quarantined') return await engine.signalResult(run, id);
  return end.cancel?.signalId === id ? { id, taken: true, value: null } : null;
}

/** Signals a run in one dispatch state. @returns the result, or the run in its new state if the state has changed */
type SignalRun = (deps: SendSignalDeps, run: RunRecord, signal: SignedSignal) => Promise<SignalResult | RunRecord>;

/** How to signal runs that have not ended, by dispatch state. */
const SIGNAL_OPEN: Readonly<Record<Dispatch['kind'], SignalRun>> = {
  queued: signalQueued,
  pending: dispatchFirst,
  dispatched: signalWorkflow,
};

const UNTIL_DISPATCHED = { everyMs: 25, withinMs: 5_000 };

/** Waits until the run is dispatched, by this or another process. @throws ApiError 503 */
async function dispatchFirst(deps: SendSignalDeps, { id }: RunRecord): Promise<RunRecord> {
  await dispatchRun(deps, id);
  const run = await pollUntil(
    () => deps.store.runs.find(id),
    (found) => found === null || found.dispatch.kind === 'dispatched',
    UNTIL_DISPATCHED,
  );
  if (run?.dispatch.kind !== 'dispatched') throw unavailable('Temporal');
  return run;
}

/**
 * A workflow that accepts no signal has ended, so its last write is going to end the run, or was deleted.
 * @throws ApiError 503
 */
async function signalWorkflow(
  deps: SendSignalDeps,
  run: RunRecord,
  signal: SignedSignal,
): Promise<SignalResult | RunRecord> {
  const { store } = deps;
  return await afterSending(async () => {
    const result = await signalOrCancel(deps, run, signal);
    if (result) return result;
    const look = async (): Promise<RunRecord | null> => await store.runs.find(run.id);
    const isWanted = (found: RunRecord | null): boolean => found === null || isEnded(found.status);
    const settled = await untilRun(store.changes, { runId: run.id, look, isWanted, withinMs: WRITTEN_WITHIN_MS });
    const ended = !isWanted(settled) && (await endTerminatedRun(deps, run, 0)) ? await look() : settled;
    if (!ended || !isEnded(ended.status)) throw unavailable('The run');
    return ended;
  });
}

/** Sends a signal and waits for its result. If the workflow task fails, a cancel still ends the run. */
async function signalOrCancel(
  deps: SendSignalDeps,
  run: RunRecord,
  signal: SignedSignal,
): Promise<SignalResult | null> {
  const { name, payload } = signal;
  try {
    return await deps.engine.signalAndAsk(run, name, payload);
  } catch (error) {
    const canceled = name === 'cancel' ? await cancelStuckRun(deps, run, signal) : null;
    if (canceled) return canceled;
    throw error;
  }
}
