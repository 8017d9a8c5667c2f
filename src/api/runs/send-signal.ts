import type { SignalResult, SentSignal } from '../../graph/run/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps, Attempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, unavailable } from '../http/errors.ts';
import { UNTIL_WRITTEN, poll } from '../temporal/poll.ts';
import { dispatchRun } from './dispatch-run.ts';
import { changedMeanwhile, reopen } from './reopen-run.ts';
import { signalQueued } from './signal-queued.ts';

type SendDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

interface SignalToSend {
  readonly name: string;
  /** Its id is the decision's: a run takes it once, however often it is sent. */
  readonly attempt: Attempt;
  readonly payload: JsonObject;
  /** Refuses what need not be sent to be refused, unless it has been sent before. @throws ApiError */
  readonly refuse?: () => void | Promise<void>;
}

/**
 * Sends a caller's decision or control to a run and waits for what becomes of it.
 * @throws ApiError 409 when the run has ended, 503 when no worker answers
 */
export async function sendSignal(
  deps: SendDeps,
  caller: Caller,
  { run, signal }: { run: RunRecord; signal: SignalToSend },
): Promise<SignalResult> {
  const { name, payload, attempt, refuse } = signal;
  const earlier = await earlierOutcome(deps, run, attempt);
  if (earlier) return earlier;
  await refuse?.();
  const by = { sub: caller.sub, roles: [...caller.roles] };
  const whole = { ...payload, decisionId: attempt.id, by };
  if (isEnded(run.status)) return await signalEnded(deps, run, { name, payload: whole });
  const early = run.isQueued ? await signalQueued(deps, run, { name, payload: whole, by: caller.sub }) : null;
  if (early) return early;
  if (!run.isDispatched) await untilDispatched(deps, run.id);
  const outcome = await deps.engine.decide(run, name, whole);
  return outcome ?? (await signalEnded(deps, await onceEnded(deps, run.id), { name, payload: whole }));
}

/** A run that does not take a signal in has ended, and says so with its last write. @throws ApiError 503 */
async function onceEnded({ store }: SendDeps, id: string): Promise<RunRecord> {
  const run = await poll(
    () => store.runs.find(id),
    (now) => now === null || isEnded(now.status),
    UNTIL_WRITTEN,
  );
  if (run && isEnded(run.status)) return run;
  throw unavailable('The run');
}

const PATIENCE = { everyMs: 25, withinMs: 5_000 };

/** Somebody else may be at it. */
async function untilDispatched(deps: SendDeps, id: string): Promise<void> {
  await dispatchRun(deps, id);
  const run = await poll(
    () => deps.store.runs.find(id),
    (found) => found?.isDispatched !== false,
    PATIENCE,
  );
  if (run?.isDispatched === false) throw unavailable('Temporal');
}

/** What an earlier try of the same request came to, as far as the run remembers. */
async function earlierOutcome(
  { engine }: SendDeps,
  run: RunRecord,
  { id, isRepetition }: Attempt,
): Promise<SignalResult | null> {
  return isRepetition ? await engine.outcome(run, id) : null;
}

async function signalEnded(deps: SendDeps, run: RunRecord, signal: SentSignal): Promise<SignalResult> {
  const outcome = await reopen(deps, run, signal);
  if (outcome) return outcome;
  throw (await goesOn(deps, run)) ? changedMeanwhile(signal.name) : hasEnded(run);
}

/** Whether a run that had ended is about to go on, or has. */
async function goesOn({ store }: SendDeps, { id, lastSeq }: RunRecord): Promise<boolean> {
  const hasMoved = (now: RunRecord | null): boolean => now !== null && (!now.isDispatched || now.lastSeq !== lastSeq);
  return hasMoved(await poll(() => store.runs.find(id), hasMoved, UNTIL_SEEN));
}

/** What goes on says so at once. */
const UNTIL_SEEN = { everyMs: 50, withinMs: 2_000 };

function hasEnded({ status, view }: RunRecord): ApiError {
  const endedAt = view?.endedAt ?? null;
  return new ApiError('NOT_ALLOWED_NOW', `The run is ${status}${endedAt === null ? '' : ` since ${endedAt}`}`);
}
