import { CancelledFailure } from '@temporalio/activity';
import type { LedgerFailure } from '../../store/calls/ledger.ts';
import { toFailure } from './application-failure.ts';
import type { CallError } from './call-error.ts';
import { judgeAttempt, judgeCanceledAttempt } from './judge-attempt.ts';
import type { AttemptVerdict, AttemptToJudge } from './judge-attempt.ts';

/** The end of a failed attempt: its record in the ledger, and the failure of its activity. */
export interface AttemptEnd {
  readonly entry: LedgerFailure;
  /** The server retries it, unless it is final. */
  readonly error: Error;
}

/** Judges a failed attempt: the call is tried again, has failed, or its outcome is unknown. */
export function judgeFailure(attempt: AttemptToJudge, thrown: unknown): AttemptEnd {
  return toEnd(judgeAttempt(attempt, thrown));
}

/** Judges a canceled attempt: the call has ended, or another attempt continues. */
export function judgeCancellation(attempt: AttemptToJudge, error: CallError): AttemptEnd {
  return toEnd(judgeCanceledAttempt(attempt, error));
}

function toEnd(verdict: AttemptVerdict): AttemptEnd {
  const { failures, failure } = verdict;
  switch (verdict.status) {
    case 'retrying': {
      const nextAttemptAt = new Date(Date.now() + verdict.delayMs).toISOString();
      return {
        entry: { status: 'retrying', failures, failure, nextAttemptAt },
        error: toFailure(failure, verdict.delayMs),
      };
    }
    case 'canceled':
      return { entry: { status: 'failed', failures, failure }, error: new CancelledFailure('The call was canceled') };
    default:
      return { entry: { status: verdict.status, failures, failure }, error: toFailure(failure) };
  }
}
