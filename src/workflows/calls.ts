import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { CallOutcome, LocalOutcome, LocalTraces } from '../activities/calls/call-task.ts';
import { isAccountable, isUnsafeCall } from '../graph/run/index.ts';
import type { CallEffect, CallResult, Run } from '../graph/run/index.ts';
import { isUnknownOutcome } from '../graph/values/index.ts';
import type { TaskFailure, RunError } from '../graph/values/index.ts';
import { callActivity, callLocally, reconcileWithLedger, withTimeLeft } from './call-activities.ts';
import type { CallOwner } from './call-activities.ts';
import { createCallGate } from './call-gate.ts';
import type { ActivityCall, CallGate, LocalCall } from './call-gate.ts';
import type { ContinueAsNewPolicy } from './continue-as-new.ts';
import {
  CANCELED_FAILURE,
  callCanceled,
  isContradiction,
  toJournalFailure,
  toTaskFailure,
  isConclusive,
  isReported,
  toCanceledCallFailure,
} from './failures.ts';
import type { RefusedBatch } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { JournalFlusher } from './journal-flusher.ts';
import type { JournalDelivery } from './outbox.ts';
import { createCallScopes } from './scopes.ts';

/** The calls of a run. Their results go into the inbox. */
export interface Calls extends Pick<CallGate, 'isCallingLocally' | 'enterTask' | 'deferred'> {
  /** Makes a call now or as soon as there is room for it, or leaves it to the next execution. */
  make(call: CallEffect): void;
  cancel(key: string): void;
  /** Cancels all calls made so far. */
  cancelAll(): void;
  /** Returns the number of calls of this execution that have not ended. */
  outstanding(): number;
}

interface CallsDeps {
  readonly inbox: Inbox;
  readonly flusher: Pick<JournalFlusher, 'attach' | 'pause'>;
  readonly refusal: RefusedBatch;
  readonly continueAsNewPolicy: Pick<ContinueAsNewPolicy, 'defersCalls'>;
  readonly owner: CallOwner;
  /** Returns the current run. */
  readonly run: () => Run;
}

export function createCalls({ inbox, flusher, refusal, continueAsNewPolicy, owner, run }: CallsDeps): Calls {
  const scopes = createCallScopes();
  let outstanding = 0;
  const finishCall: FinishCall = (occurrence) => {
    outstanding -= 1;
    scopes.close(occurrence.key);
    inbox.push(occurrence);
  };
  const gate = createCallGate({
    continueAsNewPolicy,
    openCalls: () => outstanding,
    historyLength: () => workflowInfo().historyLength,
    begin(call) {
      if (call.kind === 'local') {
        scopes.enter(call.effect, () => makeLocalCall(gate, finishCall, owner, call));
        return null;
      }
      const delivery = flusher.attach(run(), call.effect);
      scopes.enter(call.effect, () =>
        makeActivityCall(inNewTask(gate, { finishCall, refusal }), owner, { ...call, delivery }),
      );
      return delivery?.batch ?? null;
    },
    inLaterTask: {
      local: (resume) => flusher.pause(resume),
      activity: (resume) => void CancellationScope.nonCancellable(() => sleep(1)).then(resume),
    },
  });
  const cancelWaiting = (key?: string): void => {
    const { deferred, waiting } = gate.cancel(key);
    for (const effect of deferred) inbox.push(callCanceled(effect));
    for (const effect of waiting) finishCall(callCanceled(effect));
  };
  return {
    ...gate,
    make(call) {
      if (gate.request(call)) outstanding += 1;
    },
    cancel(key) {
      cancelWaiting(key);
      scopes.cancel(key);
    },
    cancelAll() {
      scopes.cancelAll();
      cancelWaiting();
    },
    outstanding: () => outstanding,
  };
}

type FinishCall = (result: CallResult) => void;

interface CallEnds {
  readonly finishCall: FinishCall;
  readonly refusal: RefusedBatch;
}

/** Wraps the ends of a call made by an activity: another workflow task begins with the end of the activity. */
function inNewTask({ enterTask }: Pick<CallGate, 'enterTask'>, ends: CallEnds): CallEnds {
  const finishCall: FinishCall = (occurrence) => {
    enterTask();
    ends.finishCall(occurrence);
  };
  return { ...ends, finishCall };
}

/** A call with the journal batch that its activity writes. */
interface PackedCall extends ActivityCall {
  readonly delivery: JournalDelivery | null;
}

/** This is not `async`, because every promise in a workflow takes time. */
function makeActivityCall(
  { finishCall, refusal }: CallEnds,
  owner: CallOwner,
  { effect, delivery, left }: PackedCall,
): void {
  const { key } = effect;
  const scope = CancellationScope.current();
  const completeCall = ({ reply, attempts, durationMs }: CallOutcome): void =>
    finishCall({ kind: 'call.completed', key, reply, attempts, durationMs });
  const failCall = (failure: TaskFailure): void => finishCall({ kind: 'call.failed', key, failure });
  void callActivity(effect, owner, delivery?.batch ?? null, left).then(
    (outcome) => {
      delivery?.delivered();
      completeCall(outcome);
    },
    (error: unknown) => {
      if (isContradiction(error)) return refusal.set(toJournalFailure(error));
      delivery?.lost();
      const question = questionAfterFailure(effect, error, scope.consideredCancelled);
      if (!question) return failCall(toTaskFailure(effect, error));
      const { givenUp, failureIn } = question;
      return void reconcileWithLedger(effect, owner, givenUp).then(completeCall, (answer: unknown) =>
        failCall(failureIn(answer)),
      );
    },
  );
}

/** The traces of a local activity that did not run to its end. Its call was possibly executed. */
const LOST_LOCAL_CALL: LocalTraces = { failed: null, perhapsMade: true };

/** Makes a call in the worker of the workflow task. An activity continues a call that does not end there soon. */
function makeLocalCall(
  gate: Pick<CallGate, 'endLocal' | 'continueInActivity'>,
  finishCall: FinishCall,
  owner: CallOwner,
  call: LocalCall,
): void {
  const { effect } = call;
  const { key } = effect;
  const scope = CancellationScope.current();
  const fail = (failure: TaskFailure): void => finishCall({ kind: 'call.failed', key, failure, isLocal: true });
  const handle = (outcome: LocalOutcome): void => {
    if (outcome.kind === 'left')
      return scope.consideredCancelled
        ? fail(CANCELED_FAILURE)
        : gate.continueInActivity({ kind: 'activity', effect: withTimeLeft(effect, outcome), left: outcome });
    if (outcome.kind === 'failed') return fail(outcome.failure);
    const { reply, attempts, startedAt, endedAt } = outcome;
    const durationMs = endedAt - startedAt;
    return finishCall({ kind: 'call.completed', key, reply, attempts, durationMs, isLocal: true });
  };
  const handleError = (error: unknown): void =>
    scope.consideredCancelled
      ? fail(toTaskFailure(effect, error))
      : gate.continueInActivity({ kind: 'activity', effect, left: LOST_LOCAL_CALL });
  void callLocally(effect, owner).then(
    (outcome) => gate.endLocal(call, { outcome, handle: () => handle(outcome) }),
    (error: unknown) => gate.endLocal(call, { outcome: null, handle: () => handleError(error) }),
  );
}

/** A question to the ledger after the end of an activity. */
export interface LedgerQuestion {
  /** The error with which the server has given the call up; absent if the call was canceled. */
  readonly givenUp?: RunError;
  /** Reads the call's failure from the ledger's answer. */
  readonly failureIn: (answer: unknown) => TaskFailure;
}

/**
 * Returns the question to the ledger after the failure of a call's activity. The ledger may hold a result that the server
 * does not know, because the server has given the call up after a timeout, or has refused its result.
 * @returns `null` if the last attempt has reported the outcome, or the run is not accountable for the call
 */
export function questionAfterFailure(call: CallEffect, failure: unknown, isCanceled: boolean): LedgerQuestion | null {
  if (!isAccountable(call) || (isCanceled ? isConclusive(failure) : isReported(failure))) return null;
  if (isCanceled) return { failureIn: (answer) => toCanceledCallFailure(call, answer) };
  const unanswered = toTaskFailure(call, failure);
  return {
    givenUp: ifNotMade(unanswered.error),
    failureIn: (answer) => useLedgerAnswer(call, unanswered, toTaskFailure(call, answer)),
  };
}

/** Returns the error of a call that was not made according to the ledger. */
function ifNotMade(error: RunError): RunError {
  return isUnknownOutcome(error) ? { ...error, code: 'TIMEOUT' } : error;
}

/** If no record has the outcome, a person must settle an unsafe call; any other call may be repeated under its key. */
function useLedgerAnswer({ request }: CallEffect, unanswered: TaskFailure, answer: TaskFailure): TaskFailure {
  return isUnknownOutcome(answer.error) && !isUnsafeCall(request) ? { ...unanswered, callFailed: false } : answer;
}
