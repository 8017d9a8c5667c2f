import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { toJson } from '../../../graph/values/index.ts';
import { isDataRefused } from '../../../store/database/data-refused.ts';
import type { CallClaim, CallEnd } from '../../../store/calls/ledger-claims.ts';
import type { Store } from '../../../store/store.ts';
import { toRefusal, tryAgainLater } from '../application-failure.ts';
import { CallError } from '../call-error.ts';
import type { CallRecord, LedgerTerms } from './call-record.ts';
import type { CallTask } from '../call-task.ts';
import { ASK_AGAIN_AFTER_MS } from './claim-call.ts';
import { NONE_UNUSED, judgeClaim } from './judge-claim.ts';
import type { LedgerAnswer } from './judge-claim.ts';
import type { KeptRequest } from '../kept-request.ts';
import type { LateJournal } from '../journal/late-journal.ts';
import { recordOutcome } from './record-outcome.ts';
import { writeJournal } from '../journal/write-journal.ts';

interface Unclaimed extends LedgerTerms {
  readonly store: Store;
  readonly task: CallTask;
  readonly journal: LateJournal;
  readonly kept: KeptRequest['kept'];
}

/**
 * The record of an attempt without a claim. After the call, one statement writes the end of the call and the journal. If
 * another attempt has made an entry meanwhile, that is judged as for a claim.
 */
export function unclaimedRecord(unclaimed: Unclaimed): CallRecord {
  const settleWithJournal = async (end: CallEnd): Promise<LedgerAnswer | null> =>
    await settle(unclaimed, end, await unclaimed.journal.take());
  return {
    complete: async (reply) => await settleWithJournal({ status: 'completed', result: toJson(reply) }),
    fail: async (entry) => void (await settleWithJournal(entry)),
    renew: () => undefined,
  };
}

/**
 * @returns the answer that the ledger has already; `null`: there is none, or another attempt is going to write it
 * @throws ApplicationFailure that ends the run if the database refuses the journal; one that the server retries if it is
 * away, and the journal is not written
 */
async function settle(unclaimed: Unclaimed, end: CallEnd, journal: CallClaim['journal']): Promise<LedgerAnswer | null> {
  const settled = await trySettle(unclaimed, end, journal);
  switch (settled.kind) {
    case 'settled':
      return settled.answer?.kind === 'in-progress' ? null : settled.answer;
    case 'refused':
      if (!journal) return null;
      await writeJournal(unclaimed.store, unclaimed.task);
      return await settle(unclaimed, end, null);
    case 'away':
      if (!journal) return null;
      throw tryAgainLater('DATABASE_AWAY', "The call's journal could not be written", ASK_AGAIN_AFTER_MS);
    case 'other request':
      throw toRefusal(settled.error);
  }
}

type Settled =
  | { readonly kind: 'settled'; readonly answer: LedgerAnswer | null }
  | { readonly kind: 'away' | 'refused' }
  | { readonly kind: 'other request'; readonly error: CallError };

async function trySettle(
  { store, call, claimant, kept }: Unclaimed,
  end: CallEnd,
  journal: CallClaim['journal'],
): Promise<Settled> {
  const { info, log } = Context.current();
  const scheduledAt = info.currentAttemptScheduledTimestampMs;
  const at = new Date().toISOString();
  const claim = { ...call, request: kept(), claim: randomUUID(), scheduledAt, at, journal };
  let settled: Settled = { kind: 'away' };
  await recordOutcome(async () => {
    try {
      const result = await store.ledger.settle(claim, end, (entry) =>
        judgeClaim({ ...claimant, scheduledAt, isUnused: NONE_UNUSED }, entry),
      );
      settled = { kind: 'settled', answer: 'answer' in result ? result.answer : null };
    } catch (error) {
      if (error instanceof CallError) settled = { kind: 'other request', error };
      else if (!isDataRefused(error)) throw error;
      else {
        log.warn('the database refuses the outcome of a call, or the journal with it', { error });
        settled = { kind: 'refused' };
      }
    }
  });
  return settled;
}
