import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { CallReply } from '../../graph/run/index.ts';
import { toJson } from '../../graph/values/index.ts';
import type { Ledger, LedgerFailure } from '../../store/calls/ledger.ts';
import type { CallClaim, CallEnd } from '../../store/calls/ledger-claims.ts';
import { NONE_UNUSED, judgeClaim } from './judge-claim.ts';
import type { Claimant, LedgerAnswer } from './judge-claim.ts';
import type { KeptRequest } from './make-attempt.ts';
import { isDatabaseAway, isDataRefused, pauseBeforeRetry } from '../../store/database/database-away.ts';
import type { Store } from '../../store/store.ts';
import { toRefusedFailure, tryAgainLater } from './application-failure.ts';
import { CallError } from './call-error.ts';
import type { CallTask } from './call-task.ts';
import { ASK_AGAIN_AFTER_MS } from './claim-call.ts';
import { writeJournal } from './write-journal.ts';
import type { LateJournal } from './write-journal.ts';

/** The fields of a call that each entry of the ledger has. */
export interface LedgerTerms {
  readonly call: Omit<CallClaim, 'claim' | 'scheduledAt' | 'at' | 'journal'>;
  readonly claimant: Omit<Claimant, 'isUnused' | 'scheduledAt'>;
}

/** The record of an attempt: its end, and renewals until then. */
export interface CallRecord {
  /** @returns the answer that the ledger already contains; `null` if the reply counts */
  complete(reply: CallReply): Promise<LedgerAnswer | null>;
  fail(entry: LedgerFailure): Promise<void>;
  /** Records that the attempt is still running. */
  renew(): void;
}

/** A claimed call. */
interface ClaimToRecord {
  readonly key: string;
  readonly claim: string;
  /** The request that was sent, as far as known at the end. */
  readonly kept: KeptRequest['kept'];
}

/**
 * The record of an attempt with a claim. It is not renewed after its end, because a renewal means that the attempt is
 * running.
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

/** Shorter than the activity's time-out, which `workflows/activities.ts` sets. */
const SETTLE_GIVE_UP_AFTER_MS = 4 * 60_000;
const MAX_TRIES = 8;

/**
 * Writes the outcome of a call to the ledger, with retries while the database is unavailable. If all fail, this is
 * logged: the run still receives the outcome from the activity.
 */
export async function recordOutcome(write: () => Promise<unknown>): Promise<void> {
  const context = Context.current();
  const giveUpAt = Date.now() + SETTLE_GIVE_UP_AFTER_MS;
  for (let tries = 1; ; tries++) {
    try {
      return void (await write());
    } catch (error) {
      const mayComeBack = isDatabaseAway(error) ? Date.now() < giveUpAt : tries < MAX_TRIES;
      if (!mayComeBack || context.cancellationDetails?.workerShutdown === true)
        return context.log.warn('the outcome of a call could not be recorded', { error });
    }
    await pauseBeforeRetry(tries);
  }
}

interface UnclaimedCall extends LedgerTerms {
  readonly store: Store;
  readonly task: CallTask;
  readonly journal: LateJournal;
  readonly kept: KeptRequest['kept'];
}

/**
 * The record of an attempt without a claim. After the call, one statement writes the end of the call and the journal.
 * If another attempt has made an entry meanwhile, that entry is judged as for a claim.
 */
export function unclaimedRecord(unclaimed: UnclaimedCall): CallRecord {
  const settleWithJournal = async (end: CallEnd): Promise<LedgerAnswer | null> =>
    await settleUnclaimed(unclaimed, end, await unclaimed.journal.take());
  return {
    complete: async (reply) => await settleWithJournal({ status: 'completed', result: toJson(reply) }),
    fail: async (entry) => void (await settleWithJournal(entry)),
    renew: () => undefined,
  };
}

/**
 * @returns the answer that the ledger already contains; `null` if there is none, or another attempt will write it
 * @throws ApplicationFailure that ends the run if the database refuses the journal; one that the server retries if the
 * database is unavailable and the journal is not written
 */
async function settleUnclaimed(
  unclaimed: UnclaimedCall,
  end: CallEnd,
  journal: CallClaim['journal'],
): Promise<LedgerAnswer | null> {
  const settled = await trySettle(unclaimed, end, journal);
  switch (settled.kind) {
    case 'settled':
      return settled.answer?.kind === 'in-progress' ? null : settled.answer;
    case 'refused':
      if (!journal) return null;
      await writeJournal(unclaimed.store, unclaimed.task);
      return await settleUnclaimed(unclaimed, end, null);
    case 'away':
      if (!journal) return null;
      throw tryAgainLater('DATABASE_AWAY', "The call's journal could not be written", ASK_AGAIN_AFTER_MS);
    case 'other request':
      throw toRefusedFailure(settled.error);
  }
}

type SettleResult =
  | { readonly kind: 'settled'; readonly answer: LedgerAnswer | null }
  | { readonly kind: 'away' | 'refused' }
  | { readonly kind: 'other request'; readonly error: CallError };

async function trySettle(
  { store, call, claimant, kept }: UnclaimedCall,
  end: CallEnd,
  journal: CallClaim['journal'],
): Promise<SettleResult> {
  const { info, log } = Context.current();
  const scheduledAt = info.currentAttemptScheduledTimestampMs;
  const at = new Date().toISOString();
  const claim = { ...call, request: kept(), claim: randomUUID(), scheduledAt, at, journal };
  let settled: SettleResult = { kind: 'away' };
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
