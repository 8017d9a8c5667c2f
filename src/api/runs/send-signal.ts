import type { Refusal, SignalResult } from '../../graph/run/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { unavailable } from '../http/errors.ts';
import { toPrincipal } from '../http/to-principal.ts';
import { poll } from '../temporal/poll.ts';
import { afterSending } from './after-sending.ts';
import { cancelPoisonedRun } from './cancel-poisoned-run.ts';
import { dispatchRun } from './dispatch-run.ts';
import { endTerminatedRun } from './end-terminated-run.ts';
import { reopen } from './reopen-run.ts';
import type { SignedSignal } from './signal-queued.ts';
import { signalQueued } from './signal-queued.ts';
import { WRITTEN_WITHIN_MS, untilRun } from './until-run.ts';

type SendDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'logger'>;

interface SignalToSend {
  readonly name: string;
  /** Its id becomes the decision's: a run takes it once, however often it is sent. */
  readonly attempt: RequestAttempt;
  readonly payload: JsonObject;
  /** Refuses the signal before it is sent, unless an earlier try of the request has sent it. */
  readonly refusal?: Refusal | null;
}

/**
 * Sends a caller's decision or control to a run and waits for its result.
 * @throws ApiError 503 when no worker answers, with `mayTakeEffect` once the signal may have reached the run; 409 when the run has ended and its thread has gone on
 */
export async function sendSignal(
  deps: SendDeps,
  caller: Caller,
  { run, signal: { name, attempt, payload, refusal } }: { run: RunRecord; signal: SignalToSend },
): Promise<SignalResult> {
  const earlier = attempt.isRepetition ? await earlierResult(deps, run, attempt.id) : null;
  if (earlier) return earlier;
  if (refusal) return { id: attempt.id, taken: false, refusal };
  const signal = { name, payload: { ...payload, signalId: attempt.id, by: { ...toPrincipal(caller) } } };
  let now: RunRecord | SignalResult = run;
  while (!('taken' in now)) now = await waysToSignal[stateOf(now)](deps, now, signal);
  return now;
}

/** A run that was put aside can't be asked: it would fail again. */
async function earlierResult({ engine }: SendDeps, run: RunRecord, id: string): Promise<SignalResult | null> {
  const end = isEnded(run.status) ? await engine.workflowEnd(run) : null;
  if (end?.kind !== 'put-aside') return await engine.signalResult(run, id);
  return end.cancel?.signalId === id ? { id, taken: true, value: null } : null;
}

type RunState = 'queued' | 'pending' | 'running' | 'ended';

function stateOf({ status, isQueued, isDispatched }: RunRecord): RunState {
  if (isEnded(status)) return 'ended';
  if (isQueued) return 'queued';
  return isDispatched ? 'running' : 'pending';
}

/** Signals a run in one state. @returns the result, or the run in its new state if it has left this one */
type WayToSignal = (deps: SendDeps, run: RunRecord, signal: SignedSignal) => Promise<SignalResult | RunRecord>;

const waysToSignal: Readonly<Record<RunState, WayToSignal>> = {
  queued: signalQueued,
  pending: dispatchFirst,
  running: signalWorkflow,
  ended: reopen,
};

const UNTIL_DISPATCHED = { everyMs: 25, withinMs: 5_000 };

/** Waits until the run is dispatched, perhaps by another process. @throws ApiError 503 */
async function dispatchFirst(deps: SendDeps, { id }: RunRecord): Promise<RunRecord> {
  await dispatchRun(deps, id);
  const run = await poll(
    () => deps.store.runs.find(id),
    (found) => found?.isDispatched !== false,
    UNTIL_DISPATCHED,
  );
  if (!run?.isDispatched) throw unavailable('Temporal');
  return run;
}

/** A workflow that takes no signal has ended, and its last write ends the run, or it was deleted. @throws ApiError 503 */
async function signalWorkflow(deps: SendDeps, run: RunRecord, signal: SignedSignal): Promise<SignalResult | RunRecord> {
  const { store } = deps;
  return await afterSending(async () => {
    const result = await signalOrCancel(deps, run, signal);
    if (result) return result;
    const look = async (): Promise<RunRecord | null> => await store.runs.find(run.id);
    const isWanted = (found: RunRecord | null): boolean => found === null || isEnded(found.status);
    const settled = await untilRun(store, { runId: run.id, look, isWanted, withinMs: WRITTEN_WITHIN_MS });
    const ended = !isWanted(settled) && (await endTerminatedRun(deps, run, 0)) ? await look() : settled;
    if (!ended || !isEnded(ended.status)) throw unavailable('The run');
    return ended;
  });
}

/** Sends a signal and waits for its result. A run that takes nothing more can still be canceled. */
async function signalOrCancel(deps: SendDeps, run: RunRecord, signal: SignedSignal): Promise<SignalResult | null> {
  const { name, payload } = signal;
  try {
    return await deps.engine.signalAndAsk(run, name, payload);
  } catch (error) {
    const canceled = name === 'cancel' ? await cancelPoisonedRun(deps, run, signal) : null;
    if (canceled) return canceled;
    throw error;
  }
}
