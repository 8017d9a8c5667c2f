import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Json, RunError, TaskFailure } from '../graph/values/index.ts';
import type { JournalBatch } from '../graph/journal/index.ts';
import { journalParts } from './journal.ts';
import type { JournalWriter } from './journal.ts';
import type { LedgerTable, Tables } from './tables.ts';

/** A call that is about to be made. */
export interface CallClaim {
  /** The call's idempotency key. */
  readonly key: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly node: string;
  /** The element of a list that it is made for. */
  readonly index?: number | undefined;
  /** What is called, such as `tool:pay`. */
  readonly called: string;
  readonly requestHash: string;
  /** Higher when a person has ordered the call again. */
  readonly takeover: number;
  /** Tells this attempt from every other. */
  readonly claim: string;
  /** When the server scheduled it, in milliseconds since the epoch: later attempts are scheduled later. */
  readonly scheduledAt: number;
  readonly at: string;
  /** What the run has to say, which is written in the same moment; `null`: nothing this time. */
  readonly journal: { readonly batch: JournalBatch; readonly writer: JournalWriter } | null;
}

/** What the ledger knew of a call when it was claimed. */
export interface LedgerEntry {
  /** Who holds it. */
  readonly claim: string;
  readonly scheduledAt: number;
  /** How long ago it was claimed, kept or changed. */
  readonly ageMs: number;
  readonly status: LedgerTable['status'];
  readonly requestHash: string;
  readonly takeover: number;
  readonly failures: number;
  readonly result: Json;
  readonly failure: TaskFailure | null;
}

/** An entry as it was judged, by which it is known again. */
export type SeenEntry = Pick<LedgerEntry, 'claim' | 'status'>;

/** Whether a claim may go on, given what the ledger knows. */
export type ClaimVerdict<T> =
  | {
      readonly takeOver: true;
      readonly failures: number;
      /** What is to be known of the attempts before, where the entry does not say it. */
      readonly doubt?: TaskFailure;
    }
  | { readonly takeOver: false; readonly answer: T };

/** A claim that was given. */
export interface Taken {
  readonly failures: number;
  /** As it was before; `null`: this is the first attempt. */
  readonly before: LedgerEntry | null;
}

/** A call that failed and will be made again. */
export interface Retrying {
  readonly node: string;
  readonly index?: number;
  readonly attempt: number;
  readonly lastError: RunError | null;
  readonly nextAttemptAt: string | null;
}

export interface Ledger {
  /**
   * Claims a call, and writes what the run has to say with it. Where the ledger has an entry already, `judge` decides
   * whether this attempt takes it over; nobody else can claim it meanwhile.
   * @returns how often it has failed before, and the entry that was there, or what `judge` answered instead
   */
  claim<T>(claim: CallClaim, judge: (entry: LedgerEntry) => ClaimVerdict<T>): Promise<Taken | { readonly answer: T }>;
  /**
   * Records that a call has failed without being made, and that nobody makes it any more; `judge` decides as for a claim.
   * @returns as `claim`
   */
  close<T>(
    claim: CallClaim,
    failure: TaskFailure,
    judge: (entry: LedgerEntry) => ClaimVerdict<T>,
  ): Promise<Taken | { readonly answer: T }>;
  /** Says that the attempt that holds a claim is still at it. */
  keep(key: string, claim: string): Promise<void>;
  /** Records the result. @returns false when another attempt has taken the claim over */
  complete(key: string, claim: string, result: Json): Promise<boolean>;
  /** Records a failure; with `nextAttemptAt` the call will be made again. @returns as `complete` */
  fail(key: string, claim: string, failure: LedgerFailure): Promise<boolean>;
  /** Records that nobody can tell what an attempt did that is over. @returns false when more is known than was seen */
  markUnknown(key: string, seen: SeenEntry, failure: TaskFailure): Promise<boolean>;
  retrying(runId: string): Promise<readonly Retrying[]>;
  /** How each call of a run ended, by its key. */
  answers(runId: string): Promise<ReadonlyMap<string, RecordedAnswer>>;
}

/** How a call has ended; a call that has not, has neither. */
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
    keep: async (key, claim) => void (await update(db, { key, claim }, {})),
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
  /** With what the call is closed in the same moment. */
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
    const { failures, doubt } = verdict;
    const taken = {
      ...(doubt && { failure: JSON.stringify(doubt) }),
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

/** An entry of which an attempt has just taken hold, or that has just been closed. */
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

/** The clock of the database: those of two workers may differ. */
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
