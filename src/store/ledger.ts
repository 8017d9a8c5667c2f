import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Json, RunError, TaskFailure } from '../graph/values/index.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import { journalParts } from './journal.ts';
import type { JournalWriter } from './journal.ts';
import type { LedgerTable, Tables } from './tables.ts';

/** A call that a worker is about to make. */
export interface CallClaim {
  /** The idempotency key of the call. */
  readonly key: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly node: string;
  /** The element of a `forEach` that the call is made for. */
  readonly index?: number | undefined;
  /** The name with its kind, such as `tool:pay`. */
  readonly called: string;
  readonly requestHash: string;
  /** Goes up when a person orders the call again. */
  readonly takeover: number;
  /** The id of this attempt. */
  readonly claim: string;
  /** The time when Temporal scheduled the attempt, in milliseconds since the epoch; it orders attempts. */
  readonly scheduledAt: number;
  readonly at: string;
  /** A batch to write in the same statement; `null`: none. */
  readonly journal: { readonly batch: JournalBatch; readonly writer: JournalWriter } | null;
}

/** A call as the ledger knows it when another attempt claims it. */
export interface LedgerEntry {
  /** The attempt that holds the claim. */
  readonly claim: string;
  readonly scheduledAt: number;
  /** The time since the last change of the entry. */
  readonly ageMs: number;
  readonly status: LedgerTable['status'];
  readonly requestHash: string;
  readonly takeover: number;
  readonly failures: number;
  readonly result: Json;
  readonly failure: TaskFailure | null;
}

/** Identifies an entry as it was read. */
export type SeenEntry = Pick<LedgerEntry, 'claim' | 'status'>;

/** The judgement of a claim against the entry of an earlier attempt. */
export type ClaimVerdict<T> =
  | {
      readonly takeOver: true;
      readonly failures: number;
      /** The failure to record for the attempt that held the claim and may have made the call. */
      readonly lostAttempt?: TaskFailure;
    }
  | { readonly takeOver: false; readonly answer: T };

/** A successful claim. */
export interface Taken {
  readonly failures: number;
  /** The entry before the claim; `null`: this is the first attempt. */
  readonly before: LedgerEntry | null;
}

/** A call that has failed and waits for its next attempt. */
export interface Retrying {
  readonly node: string;
  readonly index?: number;
  readonly attempt: number;
  readonly lastError: RunError | null;
  readonly nextAttemptAt: string | null;
}

export interface Ledger {
  /**
   * Claims a call and writes the run's journal in one statement. If there is an entry, `judge` decides
   * under a row lock whether this attempt takes it over.
   * @returns the earlier failures and the earlier entry, or the answer of `judge`
   */
  claim<T>(claim: CallClaim, judge: (entry: LedgerEntry) => ClaimVerdict<T>): Promise<Taken | { readonly answer: T }>;
  /**
   * Records the failure of a call that is not made, now or later; `judge` decides as for a claim.
   * @returns as `claim`
   */
  close<T>(
    claim: CallClaim,
    failure: TaskFailure,
    judge: (entry: LedgerEntry) => ClaimVerdict<T>,
  ): Promise<Taken | { readonly answer: T }>;
  /** Renews the claim of an attempt that is still at work. */
  renew(key: string, claim: string): Promise<void>;
  /** Records the result. @returns false when another attempt has taken the claim over */
  complete(key: string, claim: string, result: Json): Promise<boolean>;
  /** Records a failure; with `nextAttemptAt` the call is made again. @returns as `complete` */
  fail(key: string, claim: string, failure: LedgerFailure): Promise<boolean>;
  /** Records an unknown outcome of an attempt that is over. @returns false when the entry has changed since */
  markUnknown(key: string, seen: SeenEntry, failure: TaskFailure): Promise<boolean>;
  retrying(runId: string): Promise<readonly Retrying[]>;
  /** The answers to a run's calls, by the keys of the calls. */
  answers(runId: string): Promise<ReadonlyMap<string, RecordedAnswer>>;
}

/** The end of a call; an open call has neither a result nor a failure. */
export interface RecordedAnswer {
  readonly result: Json;
  readonly failure: TaskFailure | null;
  readonly failures: number;
}

export interface LedgerFailure {
  readonly status: 'retrying' | 'failed' | 'unknown';
  readonly failures: number;
  readonly failure: TaskFailure;
  readonly nextAttemptAt?: string;
}

export function createLedger(db: Kysely<Tables>): Ledger {
  return {
    claim: (claim, judge) => claimCall(db, { claim, closing: null }, judge),
    close: (claim, failure, judge) => claimCall(db, { claim, closing: failure }, judge),
    renew: async (key, claim) => void (await update(db, { key, claim }, {})),
    complete: (key, claim, result) =>
      update(db, { key, claim }, { status: 'completed', result: JSON.stringify(result), failure: null }),
    fail: (key, claim, { status, failures, failure, nextAttemptAt }) =>
      update(
        db,
        { key, claim },
        { status, failures, failure: JSON.stringify(failure), next_attempt_at: nextAttemptAt ?? null },
      ),
    async markUnknown(key, { claim, status }, failure) {
      const unknown = {
        status: 'unknown',
        failure: JSON.stringify(failure),
        updated_at: NOW,
      } as const;
      const seen = db
        .updateTable('ledger')
        .where('key', '=', key)
        .where('claim', '=', claim)
        .where('status', '=', status);
      return (await seen.set(unknown).executeTakeFirst()).numUpdatedRows === 1n;
    },
    retrying: (runId) => retrying(db, runId),
    answers: (runId) => answers(db, runId),
  };
}

interface Claiming {
  readonly claim: CallClaim;
  /** The failure that closes the call; `null`: it is claimed. */
  readonly closing: TaskFailure | null;
}

async function claimCall<T>(
  db: Kysely<Tables>,
  claiming: Claiming,
  judge: (entry: LedgerEntry) => ClaimVerdict<T>,
): Promise<Taken | { answer: T }> {
  if (await insertClaim(db, claiming)) return { failures: 0, before: null };
  return await db.transaction().execute(async (transaction) => {
    const before = await lockEntry(transaction, claiming.claim.key);
    const verdict = judge(before);
    if (!verdict.takeOver) return { answer: verdict.answer };
    const { failures, lostAttempt } = verdict;
    const taken = {
      ...(lostAttempt && { failure: JSON.stringify(lostAttempt) }),
      ...heldBy(claiming),
      failures,
      next_attempt_at: null,
    };
    await transaction.updateTable('ledger').set(taken).where('key', '=', claiming.claim.key).execute();
    return { failures, before };
  });
}

async function insertClaim(db: Kysely<Tables>, claiming: Claiming): Promise<boolean> {
  const { key, tenantId, runId, node, index, called, journal } = claiming.claim;
  const insert = db
    .insertInto('ledger')
    .values({
      key,
      tenant_id: tenantId,
      run_id: runId,
      node,
      element: index ?? null,
      called,
      failures: 0,
      ...heldBy(claiming),
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key');
  const parts = [sql`claimed as (${insert})`, ...(journal ? journalParts(journal.batch, journal.writer) : [])];
  const { rows } = await sql`with ${sql.join(parts)} select key from claimed`.execute(db);
  return rows.length === 1;
}

/** The columns of an entry that is claimed or closed now. */
function heldBy({ claim: { claim, scheduledAt, takeover, requestHash, at }, closing }: Claiming) {
  return {
    claim,
    scheduled_at: new Date(scheduledAt).toISOString(),
    takeover: takeover,
    request_hash: requestHash,
    claimed_at: at,
    updated_at: NOW,
    ...(closing ? ({ status: 'failed', failure: JSON.stringify(closing) } as const) : ({ status: 'claimed' } as const)),
  };
}

/** The clock of the database, because clocks of workers may differ. */
const NOW = sql<string>`clock_timestamp()`;

async function lockEntry(db: Transaction<Tables>, key: string): Promise<LedgerEntry> {
  const row = await db
    .selectFrom('ledger')
    .selectAll()
    .select(sql<number>`extract(epoch from clock_timestamp() - updated_at)::float8 * 1000`.as('age_ms'))
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return {
    claim: row.claim,
    scheduledAt: row.scheduled_at.getTime(),
    ageMs: row.age_ms,
    status: row.status,
    requestHash: row.request_hash,
    takeover: row.takeover,
    failures: row.failures,
    result: row.result,
    failure: row.failure,
  };
}

type Change = Partial<Pick<LedgerTable, 'status' | 'failures'>> & {
  result?: string;
  failure?: string | null;
  next_attempt_at?: string | null;
};

async function update(
  db: Kysely<Tables>,
  { key, claim }: { key: string; claim: string },
  change: Change,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('ledger')
    .set({ ...change, updated_at: NOW })
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

async function retrying(db: Kysely<Tables>, runId: string): Promise<readonly Retrying[]> {
  const rows = await db
    .selectFrom('ledger')
    .select(['node', 'element', 'failures', 'failure', 'next_attempt_at'])
    .where('run_id', '=', runId)
    .where('status', '=', 'retrying')
    .orderBy('node')
    .orderBy('element')
    .orderBy('key')
    .execute();
  return rows.map((row) => ({
    node: row.node,
    ...(row.element !== null && { index: row.element }),
    attempt: row.failures + 1,
    lastError: row.failure?.error ?? null,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  }));
}
