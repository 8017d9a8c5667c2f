import type { CallReply } from '../../../graph/run/index.ts';
import { toJson } from '../../../graph/values/index.ts';
import type { Ledger, LedgerFailure } from '../../../store/calls/ledger.ts';
import type { CallClaim } from '../../../store/calls/ledger-claims.ts';
import type { Claimant, LedgerAnswer } from './judge-claim.ts';
import type { KeptRequest } from '../kept-request.ts';
import { recordOutcome } from './record-outcome.ts';

/** What the ledger is told of a call, whoever writes it. */
export interface LedgerTerms {
  readonly call: Omit<CallClaim, 'claim' | 'scheduledAt' | 'at' | 'journal'>;
  readonly claimant: Omit<Claimant, 'isUnused' | 'scheduledAt'>;
}

/** The place where an attempt records how it has ended. */
export interface CallRecord {
  /** @returns the answer that the ledger has already; `null`: the reply counts */
  complete(reply: CallReply): Promise<LedgerAnswer | null>;
  fail(entry: LedgerFailure): Promise<void>;
  /** Says that the attempt is still at work. */
  renew(): void;
}

/** A call that an attempt has claimed. */
interface ClaimToRecord {
  readonly key: string;
  readonly claim: string;
  /** What was sent, as far as it is known by then. */
  readonly kept: KeptRequest['kept'];
}

/**
 * The record of an attempt that has claimed its call. No renewal comes after its end: it would say that the attempt is
 * still at work.
 */
export function claimedRecord(ledger: Ledger, { key, claim, kept }: ClaimToRecord): CallRecord {
  let hasEnded = false;
  const renewals = new Set<Promise<void>>();
  const end = async (record: () => Promise<unknown>): Promise<void> => {
    hasEnded = true;
    await Promise.all(renewals);
    await recordOutcome(record);
  };
  return {
    async complete(reply) {
      await end(() => ledger.complete({ key, claim, request: kept() }, toJson(reply)));
      return null;
    },
    fail: async (entry) => await end(() => ledger.fail({ key, claim, request: kept() }, entry)),
    renew() {
      if (hasEnded) return;
      const renewal = ledger
        .renew(key, claim)
        .catch(() => undefined)
        .finally(() => renewals.delete(renewal));
      renewals.add(renewal);
    },
  };
}
