import type { CallReply } from '../../../graph/run/index.ts';
import { toJson } from '../../../graph/values/index.ts';
import type { Ledger, LedgerFailure } from '../../../store/ledger.ts';
import type { CallClaim } from '../../../store/ledger-claims.ts';
import type { Claimant, LedgerAnswer } from '../judge-claim.ts';
import { recordOutcome } from '../record-outcome.ts';

/** What the ledger is told of a call, whoever writes it. */
export interface LedgerTerms {
  readonly call: Omit<CallClaim, 'claim' | 'scheduledAt' | 'at' | 'journal'>;
  readonly claimant: Omit<Claimant, 'unusedClaims' | 'scheduledAt'>;
}

/** The place where an attempt records how it has ended. */
export interface CallRecord {
  /** @returns the answer that the ledger has already; `null`: the reply counts */
  complete(reply: CallReply): Promise<LedgerAnswer | null>;
  fail(entry: LedgerFailure): Promise<void>;
  /** Says that the attempt is still at work. */
  renew(): void;
}

/** The record of an attempt that has claimed its call. */
export function claimedRecord(ledger: Ledger, key: string, claim: string): CallRecord {
  return {
    async complete(reply) {
      await recordOutcome(() => ledger.complete(key, claim, toJson(reply)));
      return null;
    },
    fail: async (entry) => await recordOutcome(() => ledger.fail(key, claim, entry)),
    renew: () => void ledger.renew(key, claim).catch(() => undefined),
  };
}
