import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import statement from 'sql-template-tag';
import type { Json, TaskFailure } from '../../graph/values/index.ts';
import type { RecordedAnswer } from '../../graph/replay/index.ts';
import { withAttemptOnce, withAttempts } from './failed-attempts.ts';
import { runStatement } from '../database/run-statement.ts';
import { DATABASE_NOW } from '../database/database-now.ts';
import { claimEntry, endColumns } from './ledger-claims.ts';
import type { CallClaim, CallEnd, ClaimJudgement, LedgerEntry, SeenEntry, SuccessfulClaim } from './ledger-claims.ts';
import { listLedger } from './list-ledger.ts';
import { readSaidTexts } from './said-texts.ts';
import type { SaidText } from './said-texts.ts';
import type { LedgerRow } from './list-ledger.ts';
import { listRetrying } from './list-retrying.ts';
import type { Retrying } from './list-retrying.ts';
import type { Page, PageRequest } from '../page.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { Tables } from '../tables.ts';

export interface Ledger {
  /**
   * Claims a call and writes the run's journal in one statement. If there is an entry, `judge` decides
   * under a row lock whether this attempt takes it over.
   * @returns the earlier failures and the earlier entry, or the answer of `judge`
   */
  claim<T>(
    claim: CallClaim,
    judge: (entry: LedgerEntry) => ClaimJudgement<T>,
  ): Promise<SuccessfulClaim | { readonly answer: T }>;
  /**
   * Records the failure of a call that is not made, now or later; `judge` decides as for a claim.
   * @returns as `claim`
   */
  close<T>(
    claim: CallClaim,
    failure: TaskFailure,
    judge: (entry: LedgerEntry) => ClaimJudgement<T>,
  ): Promise<SuccessfulClaim | { readonly answer: T }>;
  /**
   * Records the end of a call or attempt without a claim, and writes the run's journal, in one statement.
   * If there is an entry, `judge` decides as for a claim.
   * @returns as `claim`
   */
  settle<T>(
    claim: CallClaim,
    end: CallEnd,
    judge: (entry: LedgerEntry) => ClaimJudgement<T>,
  ): Promise<SuccessfulClaim | { readonly answer: T }>;
  /** Renews the claim of an attempt that is still at work, also one whose outcome counts as unknown: it was not lost. */
  renew(key: string, claim: string): Promise<void>;
  /** Records the result. @returns false when another attempt has taken the claim over */
  complete(call: ClaimedCall, result: Json): Promise<boolean>;
  /** Records a failure; with `nextAttemptAt` the call is made again. @returns as `complete` */
  fail(call: ClaimedCall, failure: LedgerFailure): Promise<boolean>;
  /** Records an unknown outcome of an attempt that is over. @returns false when the entry has changed since */
  markUnknown(key: string, seen: SeenEntry, failure: TaskFailure): Promise<boolean>;
  /** The calls of a run that are tried again. */
  retrying(runId: string): Promise<readonly Retrying[]>;
  /** Those of some runs, by the ids of the runs. */
  retryingOf(runIds: readonly string[]): Promise<ReadonlyMap<string, readonly Retrying[]>>;
  /** A run's calls, ordered by their keys. */
  list(runId: string, page: PageRequest): Promise<Page<LedgerRow>>;
  /** The answers to a run's calls, by the keys of the calls. */
  answers(runId: string): Promise<ReadonlyMap<string, RecordedAnswer>>;
  /** The texts that models have answered in a run, without summaries, in no order. */
  saidTexts(runId: string): Promise<readonly SaidText[]>;
}

/** A call, and the attempt that has claimed it. */
export interface ClaimedCall {
  readonly key: string;
  readonly claim: string;
  /** What was sent, for people; without it, what the claim has said stays. */
  readonly request?: Json;
}

/** The end of an attempt that has failed, and the number of those that have. */
export type LedgerFailure = Exclude<CallEnd, { readonly status: 'completed' }> & { readonly failures: number };

export function createLedger(db: Kysely<Tables>): Ledger {
  return {
    claim: (claim, judge) => claimEntry(db, { claim, end: null }, judge),
    close: (claim, failure, judge) => claimEntry(db, { claim, end: { status: 'failed', failure } }, judge),
    settle: (claim, end, judge) => claimEntry(db, { claim, end }, judge),
    renew: (key, claim) => renew(db, key, claim),
    complete: (call, result) => complete(db, call, result),
    fail: (call, failure) =>
      update(db, call, { ...endColumns(failure), attempts: withAttemptOnce(failure, new Date().toISOString()) }),
    async markUnknown(key, { claim, status }, failure) {
      const unknown = {
        status: 'unknown',
        failure: JSON.stringify(failure),
        attempts: withAttempts([failure], new Date().toISOString()),
        updated_at: DATABASE_NOW,
      } as const;
      const seen = db
        .updateTable('ledger')
        .where('key', '=', key)
        .where('claim', '=', claim)
        .where('status', '=', status);
      return (await seen.set(unknown).executeTakeFirst()).numUpdatedRows === 1n;
    },
    retrying: async (runId) => (await listRetrying(db, [runId])).get(runId) ?? [],
    retryingOf: (runIds) => listRetrying(db, runIds),
    list: (runId, page) => listLedger(db, runId, page),
    answers: (runId) => answers(db, runId),
    saidTexts: (runId) => readSaidTexts(db, runId),
  };
}

async function renew(db: Kysely<Tables>, key: string, claim: string): Promise<void> {
  await db
    .updateTable('ledger')
    .set({
      status: sql<LedgerTable['status']>`case when status = 'unknown' then 'claimed' else status end`,
      updated_at: DATABASE_NOW,
    })
    .where('key', '=', key)
    .where('claim', '=', claim)
    .execute();
}

/** Most calls end with this statement, so it skips the query builder. */
async function complete(
  db: Kysely<Tables>,
  { key, claim, request = null }: ClaimedCall,
  result: Json,
): Promise<boolean> {
  const { numAffectedRows } = await runStatement(
    db,
    statement`
      update ledger set status = 'completed', result = ${JSON.stringify(result)}, failure = null,
        request = coalesce(${request === null ? null : JSON.stringify(request)}::json, request),
        updated_at = clock_timestamp()
      where key = ${key} and claim = ${claim}
    `,
  );
  return numAffectedRows === 1n;
}

type Change = Partial<Pick<LedgerTable, 'status' | 'failures'>> & {
  result?: string;
  failure?: string | null;
  next_attempt_at?: string | null;
  attempts?: ReturnType<typeof withAttempts>;
};

async function update(
  db: Kysely<Tables>,
  { key, claim, request = null }: ClaimedCall,
  change: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('ledger')
    .set({ ...change, ...(request !== null && { request: JSON.stringify(request) }), updated_at: DATABASE_NOW })
    .where('key', '=', key)
    .where('claim', '=', claim)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function answers(db: Kysely<Tables>, runId: string): Promise<ReadonlyMap<string, RecordedAnswer>> {
  const rows = await db
    .selectFrom('ledger')
    .select(['key', 'result', 'failure', 'failures'])
    .where('run_id', '=', runId)
    .execute();
  return new Map(rows.map(({ key, ...answer }) => [key, answer]));
}
