import { isAccountable, isUnsafe } from '../../graph/run/index.ts';
import type { CallEffect } from '../../graph/run/index.ts';
import { isUnknownOutcome } from '../../graph/values/index.ts';
import type { RunError, TaskFailure } from '../../graph/values/index.ts';
import { isConclusive, isTold, toCanceledCallFailure, toTaskFailure } from '../failures.ts';

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
