import { Context } from '@temporalio/activity';
import { messageOf } from '../../../graph/values/index.ts';
import type { TokenUsage } from '../../../graph/values/index.ts';
import { isContradiction } from '../../../store/database/contradiction.ts';
import { isDataRefused } from '../../../store/database/data-refused.ts';
import { isDatabaseAway } from '../../../store/database/database-away.ts';
import type { CallClaim } from '../../../store/calls/ledger-claims.ts';
import type { Store } from '../../../store/store.ts';
import { tryAgainLater } from '../application-failure.ts';
import { CallError } from '../call-error.ts';
import { heartbeat } from '../heartbeat.ts';
import { judgeClaim, lostWithoutClaim, mayBeDone, untoldUsage } from './judge-claim.ts';
import type { Claimant, LedgerAnswer } from './judge-claim.ts';
import { contradiction } from '../journal/write-journal.ts';
import { claimOf, isUnused, readUnusedClaims, withUnused } from './unused-claims.ts';
import type { ClaimingAttempt } from './unused-claims.ts';

/** Id and result of a claim: a call to make, or the known outcome. */
interface ClaimResult {
  readonly claim: string;
  readonly result: EarlierAttempts | { readonly answer: LedgerAnswer };
}

/** The history of a call that is about to be made. */
interface EarlierAttempts {
  /** Number of failed attempts before this one. */
  readonly failures: number;
  /** True if an earlier attempt may have made the call. */
  readonly mayBeDone: boolean;
  /** What they have used of a model, as far as the run has not been told. */
  readonly usedBefore: TokenUsage | null;
}

interface FreshClaimant extends Omit<Claimant, 'isUnused' | 'scheduledAt'> {
  /** An earlier attempt may have made the call without a claim. */
  readonly wasPerhapsMade: boolean;
}

/** Time until the next attempt when this one can do nothing. */
export const ASK_AGAIN_AFTER_MS = 2_000;

/**
 * Claims a call in the ledger. If the database does not answer, the claim may still be stored, now or later, but the
 * call is not made. A heartbeat passes its id on, so that the next attempt does not take the call for lost.
 * @throws CallError if the key belongs to another request, or the database refuses what is written
 * @throws ApplicationFailure `DATABASE_AWAY`, which the server retries; `CONTRADICTION`, as `writeJournal`
 */
export async function claimCall(
  { ledger }: Store,
  call: Omit<CallClaim, 'claim' | 'scheduledAt' | 'at'>,
  { wasPerhapsMade, ...claimant }: FreshClaimant,
): Promise<ClaimResult> {
  const attempt = currentAttempt();
  const { scheduledAt } = attempt;
  const unusedClaims = readUnusedClaims(Context.current().info.heartbeatDetails);
  const claim = claimOf(unusedClaims, attempt);
  const wasUnused = (earlier: string): boolean => isUnused(unusedClaims, earlier);
  const at = new Date().toISOString();
  try {
    const result = await ledger.claim({ ...call, claim, scheduledAt, at }, (entry) =>
      judgeClaim({ ...claimant, scheduledAt, isUnused: wasUnused }, entry),
    );
    if ('answer' in result) return { claim, result };
    const { failures, before } = result;
    const isTraceless = before === null && wasPerhapsMade;
    if (isTraceless && claimant.safety === 'unsafe') return { claim, result: { answer: lostWithoutClaim(claim) } };
    const wasDone = before ? mayBeDone(before, wasUnused) : isTraceless;
    return { claim, result: { failures, mayBeDone: wasDone, usedBefore: untoldUsage(before) } };
  } catch (error) {
    if (isContradiction(error)) throw contradiction();
    if (isDataRefused(error)) throw claimRefused(error);
    if (!isDatabaseAway(error)) throw error;
    heartbeat({ unusedClaims: withUnused(unusedClaims, attempt) });
    throw tryAgainLater('DATABASE_AWAY', messageOf(error), ASK_AGAIN_AFTER_MS);
  }
}

function claimRefused(error: unknown): CallError {
  const message = `The database refuses the call's record: ${messageOf(error)}`;
  return new CallError('INTERNAL', message, { retryable: false, done: 'perhaps', cause: error });
}

function currentAttempt(): ClaimingAttempt {
  const {
    attempt,
    currentAttemptScheduledTimestampMs,
    heartbeatTimeoutMs = 0,
    startToCloseTimeoutMs,
  } = Context.current().info;
  const missedAfterMs = Math.min(heartbeatTimeoutMs, startToCloseTimeoutMs);
  return { attempt, scheduledAt: currentAttemptScheduledTimestampMs, missedAfterMs };
}
