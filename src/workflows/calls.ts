import { CancellationScope } from '@temporalio/workflow';
import type { CallOutcome, LocalOutcome, LocalTraces } from '../activities/calls/call-task.ts';
import { isLocal, isAccountable, isUnsafe } from '../graph/run/index.ts';
import type { CallEffect, LocalEffect, OccurrenceBody } from '../graph/run/index.ts';
import { isUnknownOutcome } from '../graph/values/index.ts';
import type { TaskFailure, RunError } from '../graph/values/index.ts';
import { callActivity, callLocally, reconcile, withTimeLeft } from './call-activities.ts';
import type { CallOwner } from './call-activities.ts';
import {
  CANCELED,
  callCanceled,
  isContradiction,
  toJournalFailure,
  toTaskFailure,
  isConclusive,
  isTold,
  toCanceledCallFailure,
} from './failures.ts';
import type { RefusedBatch } from './failures.ts';
import type { Inbox } from './inbox.ts';
import type { JournalFlusher } from './journal-flusher.ts';
import { createLocalCalls, createCallThrottle } from './local-calls.ts';
import type { LocalCalls } from './local-calls.ts';
import type { JournalDelivery } from './outbox.ts';
import { createScopes } from './scopes.ts';

/** Takes the journal batch that the activity of a call writes. @returns `null` if there is none */
export type AttachJournal = (call: CallEffect) => JournalDelivery | null;

/** The open calls of a run: activities and local activities, whose ends go into the inbox. */
export interface Calls {
  /** Makes a call, now or when there is room for it. */
  make(call: RequestedCall): void;
  cancel(key: string): void;
  /** Cancels all calls; later ones are not concerned. */
  cancelAll(): void;
  /** Number of open calls. */
  outstanding(): number;
  isCallingLocally(): boolean;
  /** The server has told of something else than calls, so another workflow task has begun. */
  enterTask(): void;
}

export interface CallsDeps {
  readonly inbox: Inbox;
  readonly flusher: Pick<JournalFlusher, 'pause'>;
  readonly refusal: RefusedBatch;
}

/**
 * Calls run in the scope that is current at creation. `cancelAll` cancels this scope, and later calls, such as those of a
 * compensation, run in a new one. Each cancelable call also has a scope of its own.
 */
export function createCalls({ inbox, flusher, refusal }: CallsDeps, owner: CallOwner): Calls {
  const firstScope = CancellationScope.current();
  let scope = firstScope;
  const cancelable = createScopes();
  let outstanding = 0;
  const finishCall: FinishCall = (occurrence) => {
    outstanding -= 1;
    cancelable.close(occurrence.key);
    inbox.push(occurrence);
  };
  const inScope = ({ key, isCancelable }: CallEffect, make: () => void): void => {
    const begin = isCancelable ? () => void cancelable.open(key, async () => make()) : make;
    if (CancellationScope.current() === scope) begin();
    else void scope.run(async () => begin());
  };
  const throttle = createCallThrottle<RequestedCall>(({ effect, attachJournal, left = null }) => {
    const delivery = attachJournal(effect);
    inScope(effect, () => makeCall(inNewTask(local, { finishCall, refusal }), owner, { effect, delivery, left }));
  });
  const local = createLocalCalls<LocalCall>({
    start: (call) => inScope(call.effect, () => makeLocalCall({ local, finishCall, leaveCall }, owner, call)),
    pause: (resume) => flusher.pause(resume),
  });
  const leaveCall = (call: RequestedCall): void => {
    local.othersWait();
    throttle.schedule(call);
  };
  const cancelWaiting = (key?: string): void => {
    for (const { effect } of [...throttle.cancel(key), ...local.cancel(key)]) finishCall(callCanceled(effect));
  };
  return {
    make(call) {
      outstanding += 1;
      if (isLocalCall(call)) local.schedule(call);
      else leaveCall(call);
    },
    cancel(key) {
      cancelWaiting(key);
      cancelable.cancel(key);
    },
    cancelAll() {
      scope.cancel();
      cancelWaiting();
      scope = new CancellationScope({ cancellable: true, parent: firstScope.parent ?? firstScope });
    },
    outstanding: () => outstanding,
    isCallingLocally: () => local.isBusy(),
    enterTask: () => local.enterTask(),
  };
}

type FinishCall = (occurrence: OccurrenceBody & { readonly kind: 'call.completed' | 'call.failed' }) => void;

interface CallEnds {
  readonly finishCall: FinishCall;
  readonly refusal: RefusedBatch;
}

/** Another workflow task begins with the end of an activity. */
function inNewTask({ enterTask }: Pick<LocalCalls<LocalCall>, 'enterTask'>, ends: CallEnds): CallEnds {
  const finishCall: FinishCall = (occurrence) => {
    enterTask();
    ends.finishCall(occurrence);
  };
  return { ...ends, finishCall };
}

/** A call, and what is to be done for it when it begins. */
export interface RequestedCall {
  readonly effect: CallEffect;
  readonly attachJournal: AttachJournal;
  /** What is known of its local attempts; absent: there were none. */
  readonly left?: LocalTraces;
}

interface LocalCall extends RequestedCall {
  readonly effect: LocalEffect;
}

function isLocalCall(call: RequestedCall): call is LocalCall {
  return isLocal(call.effect);
}

interface PackedCall {
  readonly effect: CallEffect;
  readonly delivery: JournalDelivery | null;
  readonly left: LocalTraces | null;
}

/** Not `async`: every promise in a workflow takes time. */
function makeCall({ finishCall, refusal }: CallEnds, owner: CallOwner, { effect, delivery, left }: PackedCall): void {
  const { key } = effect;
  const scope = CancellationScope.current();
  const completeCall = ({ reply, attempts, durationMs }: CallOutcome): void =>
    finishCall({ kind: 'call.completed', key, reply, attempts, durationMs });
  const failCall = (failure: TaskFailure): void => finishCall({ kind: 'call.failed', key, failure });
  void callActivity({ effect, owner, journal: delivery?.batch ?? null, left }).then(
    (outcome) => {
      delivery?.delivered();
      completeCall(outcome);
    },
    (error: unknown) => {
      if (isContradiction(error)) return refusal.note(toJournalFailure(error));
      delivery?.lost();
      const question = questionAfter(effect, error, { isCanceled: scope.consideredCancelled });
      if (!question) return failCall(toTaskFailure(effect, error));
      const { givenUp, failureIn } = question;
      return void reconcile(effect, owner, givenUp).then(completeCall, (answer: unknown) =>
        failCall(failureIn(answer)),
      );
    },
  );
}

interface LocalCallEnds {
  readonly local: Pick<LocalCalls<LocalCall>, 'ended'>;
  readonly finishCall: FinishCall;
  /** Leaves the call to an activity. */
  readonly leaveCall: (call: RequestedCall) => void;
}

/** Nothing is known of a local activity that has not come to its end. */
const LOST: LocalTraces = { failed: null, perhapsMade: true };

/** Makes a call in the worker of the workflow task; an activity goes on with a call that does not end there soon. */
function makeLocalCall({ local, finishCall, leaveCall }: LocalCallEnds, owner: CallOwner, call: LocalCall): void {
  const { effect } = call;
  const { key } = effect;
  const scope = CancellationScope.current();
  const fail = (failure: TaskFailure): void => finishCall({ kind: 'call.failed', key, failure, isLocal: true });
  const take = (outcome: LocalOutcome): void => {
    if (outcome.kind === 'left')
      return scope.consideredCancelled
        ? fail(CANCELED)
        : leaveCall({ ...call, effect: withTimeLeft(effect, outcome), left: outcome });
    if (outcome.kind === 'failed') return fail(outcome.failure);
    const { reply, attempts, startedAt, endedAt } = outcome;
    const durationMs = endedAt - startedAt;
    return finishCall({ kind: 'call.completed', key, reply, attempts, durationMs, isLocal: true });
  };
  const takeError = (error: unknown): void =>
    scope.consideredCancelled ? fail(toTaskFailure(effect, error)) : leaveCall({ ...call, left: LOST });
  void callLocally(effect, owner).then(
    (outcome) => local.ended(call, { outcome, take: () => take(outcome) }),
    (error: unknown) => local.ended(call, { outcome: null, take: () => takeError(error) }),
  );
}

/** What the end of an activity leaves to the ledger to say. */
export interface LedgerQuestion {
  /** How the server has given the call up; absent: it was canceled. */
  readonly givenUp?: RunError;
  /** Reads the call's failure from the ledger's answer. */
  readonly failureIn: (answer: unknown) => TaskFailure;
}

/**
 * Finds what the ledger must be asked after the failure of a call's activity. A call may be recorded of which the server
 * has heard nothing: it gives the call up at a time-out, or refuses its end.
 * @returns `null` if its last attempt has told how the call has ended, or its run need not account for it
 */
export function questionAfter(
  call: CallEffect,
  failure: unknown,
  { isCanceled }: { readonly isCanceled: boolean },
): LedgerQuestion | null {
  if (!isAccountable(call) || (isCanceled ? isConclusive(failure) : isTold(failure))) return null;
  if (isCanceled) return { failureIn: (answer) => toCanceledCallFailure(call, answer) };
  const unanswered = toTaskFailure(call, failure);
  return {
    givenUp: ifNotMade(unanswered.error),
    failureIn: (answer) => withAnswer(call, unanswered, toTaskFailure(call, answer)),
  };
}

/** The error of a call of which the ledger says that nothing was done. */
function ifNotMade(error: RunError): RunError {
  return isUnknownOutcome(error) ? { ...error, code: 'TIMEOUT' } : error;
}

/** A person is asked about an unsafe call that nobody knows of; any other one may be made again under its key. */
function withAnswer({ request }: CallEffect, unanswered: TaskFailure, answer: TaskFailure): TaskFailure {
  return isUnknownOutcome(answer.error) && !isUnsafe(request) ? { ...unanswered, callFailed: false } : answer;
}
