import { randomUUID } from 'node:crypto';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { isJsonObject, messageOf, toJson } from '../../graph/values/index.ts';
import { isDatabaseAway } from '../../store/database/database-away.ts';
import type { CallClaim } from '../../store/ledger.ts';
import type { Store } from '../../store/store.ts';
import { heartbeat } from './heartbeat.ts';
import { judgeClaim, mayBeDone } from './judge-claim.ts';
import type { Claimant, KnownCall } from './judge-claim.ts';

/** A claim that was made. */
interface ClaimResult {
  readonly claim: string;
  readonly verdict: ClaimedCall | { readonly answer: KnownCall };
}

/** What is known of a call by who is going to make it. */
interface ClaimedCall {
  /** How often it has failed before. */
  readonly failures: number;
  /** An attempt before may have made it. */
  readonly mayBeDone: boolean;
}

/** So long an attempt that can do nothing leaves the next one. */
export const ASK_AGAIN_AFTER_MS = 2_000;

/**
 * Claims a call in the ledger. Where the database does not answer, the claim may be there all the same, or come to it
 * late; the call is not made. The next attempt is told so: such a claim does not make a call look lost.
 * @throws CallError where the key stands for another request
 */
export async function claimCall(
  { ledger }: Store,
  call: Omit<CallClaim, 'claim' | 'scheduledAt' | 'at'>,
  claimant: Omit<Claimant, 'neverMade' | 'scheduledAt'>,
): Promise<ClaimResult> {
  const claim = randomUUID();
  const scheduledAt = Context.current().info.currentAttemptScheduledTimestampMs;
  const neverMade = claimsNeverMade();
  const at = new Date().toISOString();
  try {
    const verdict = await ledger.claim({ ...call, claim, scheduledAt, at }, (entry) =>
      judgeClaim({ ...claimant, scheduledAt, neverMade }, entry),
    );
    if ('answer' in verdict) return { claim, verdict };
    const { failures, before } = verdict;
    return { claim, verdict: { failures, mayBeDone: before !== null && mayBeDone(before, neverMade) } };
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    heartbeat({ neverMade: [...neverMade, claim].slice(-MAX_REMEMBERED) });
    throw ApplicationFailure.create({
      type: 'DATABASE_AWAY',
      message: messageOf(error),
      nextRetryDelay: ASK_AGAIN_AFTER_MS,
      category: ApplicationFailureCategory.BENIGN,
    });
  }
}

const MAX_REMEMBERED = 100;

/** What attempts before this one have said of their claims. */
function claimsNeverMade(): readonly string[] {
  const details: unknown = Context.current().info.heartbeatDetails;
  const keys = isJsonObject(details) ? toJson(details['neverMade'] ?? []) : [];
  return Array.isArray(keys) ? keys.map(String) : [];
}
