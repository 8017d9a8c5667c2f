import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import statement from 'sql-template-tag';
import { addToList } from '../../graph/values/index.ts';
import type { Json, TaskFailure, RunError } from '../../graph/values/index.ts';
import type { RecordedAnswer } from '../../graph/replay/index.ts';
import { withAttemptOnce, withAttempts, claimEntry, endColumns } from './ledger-claims.ts';
import type { CallClaim, CallEnd, ClaimJudgement, LedgerEntry, SeenEntry, SuccessfulClaim } from './ledger-claims.ts';
import { runStatement, DATABASE_NOW } from '../database/run-statement.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { LedgerStatus } from '../column-values.ts';
import type { LedgerTable } from '../platform-tables.ts';
import type { Tables } from '../tables.ts';
import { SUMMARY_REQUEST, asksForSummary } from '../../graph/run/index.ts';

export interface Ledger {
  /**
   * Claims a call and writes the run's journal in one statement. If the call has an entry, `judge` decides under a row
   * lock whether this attempt takes it over.
   * @returns the number of earlier failures and the earlier entry, or the refusal of `judge`
   */
  claim<T>(
    claim: CallClaim,
    judge: (entry: LedgerEntry) => ClaimJudgement<T>,
  ): Promise<SuccessfulClaim | { readonly answer: T }>;
  /** Records the failure of a call that will not be made; `judge` decides as for a claim. @returns as `claim` */
  close<T>(
    claim: CallClaim,
    failure: TaskFailure,
    judge: (entry: LedgerEntry) => ClaimJudgement<T>,
  ): Promise<SuccessfulClaim | { readonly answer: T }>;
  /**
   * Records the end of a call or attempt without a claim, and writes the run's journal, in one statement. If the call
   * has an entry, `judge` decides as for a claim.
   * @returns as `claim`
   */
  settle<T>(
    claim: CallClaim,
    end: CallEnd,
    judge: (entry: LedgerEntry) => ClaimJudgement<T>,
  ): Promise<SuccessfulClaim | { readonly answer: T }>;
  /**
   * Renews the claim of an attempt that is still in progress. This also works for an attempt already marked unknown.
   */
  renew(key: string, claim: string): Promise<void>;
  /** Records the result of a call. @returns false when another attempt has taken over the claim */
  complete(call: ClaimedCall, result: Json): Promise<boolean>;
  /** Records a failure. With `nextAttemptAt`, the call will be made again. @returns as `complete` */
  fail(call: ClaimedCall, failure: LedgerFailure): Promise<boolean>;
  /**
   * Records the unknown outcome of an attempt that has ended.
   * @returns false when the entry has changed since it was read
   */
  markUnknown(key: string, seen: SeenEntry, failure: TaskFailure): Promise<boolean>;
  /** Lists the calls of a run that wait for another attempt. */
  retrying(runId: string): Promise<readonly RetryingCall[]>;
  /** Lists the calls of several runs that wait for another attempt, by run id. */
  retryingOf(runIds: readonly string[]): Promise<ReadonlyMap<string, readonly RetryingCall[]>>;
  /** Lists the calls of a run, ordered by key. */
  list(runId: string, page: PageRequest): Promise<Page<LedgerRow>>;
  /** Reads the recorded answers of a run's calls, by key. */
  answers(runId: string): Promise<ReadonlyMap<string, RecordedAnswer>>;
  /** Reads the answer texts of a run's model calls in no particular order. Summaries are left out. */
  answerTexts(runId: string): Promise<readonly AnswerText[]>;
}

/** A call, and the attempt that has claimed it. */
export interface ClaimedCall {
  readonly key: string;
  readonly claim: string;
  /** The request for display; when absent, that of the claim is kept. */
  readonly request?: Json;
}

/** The end of a failed attempt, with the number of failed attempts. */
export type LedgerFailure = Exclude<CallEnd, { readonly status: 'completed' }> & { readonly failures: number };

/** @internal */
export function createLedger(db: Kysely<Tables>): Ledger {
  return {
    claim: (claim, judge) => claimEntry(db, { claim, end: null }, judge),
    close: (claim, failure, judge) => claimEntry(db, { claim, end: { status: 'failed', failure } }, judge),
    settle: (claim, end, judge) => claimEntry(db, { claim, end }, judge),
    async renew(key, claim) {
      const status = sql<LedgerStatus>`case when status = 'unknown' then 'claimed' else status end`;
      await updateClaimedEntry(db, key, claim).set({ status, updated_at: DATABASE_NOW }).execute();
    },
    complete: (call, result) => completeCall(db, call, result),
    fail: (call, failure) =>
      updateLedgerRow(db, call, {
        ...endColumns(failure),
        attempts: withAttemptOnce(failure, new Date().toISOString()),
      }),
    async markUnknown(key, { claim, status }, failure) {
      const unknown = {
        status: 'unknown',
        failure: JSON.stringify(failure),
        attempts: withAttempts([failure], new Date().toISOString()),
        updated_at: DATABASE_NOW,
      } as const;
      const seen = updateClaimedEntry(db, key, claim).where('status', '=', status);
      return (await seen.set(unknown).executeTakeFirst()).numUpdatedRows === 1n;
    },
    retrying: async (runId) => (await listRetrying(db, [runId])).get(runId) ?? [],
    retryingOf: (runIds) => listRetrying(db, runIds),
    list: (runId, page) => listLedger(db, runId, page),
    async answers(runId) {
      const rows = await db
        .selectFrom('ledger')
        .select(['key', 'result', 'failure', 'failures'])
        .where('run_id', '=', runId)
        .execute();
      return new Map(rows.map(({ key, ...answer }) => [key, answer]));
    },
    answerTexts: (runId) => readAnswerTexts(db, runId),
  };
}

/** Updates an entry if the attempt still holds its claim. */
function updateClaimedEntry(db: Kysely<Tables>, key: string, claim: string) {
  return db.updateTable('ledger').where('key', '=', key).where('claim', '=', claim);
}

/** Most calls end with this statement, so it does not use the query builder. */
async function completeCall(
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

type LedgerChange = Partial<Pick<LedgerTable, 'status' | 'failures'>> & {
  result?: string;
  failure?: string | null;
  next_attempt_at?: string | null;
  attempts?: ReturnType<typeof withAttempts>;
};

async function updateLedgerRow(
  db: Kysely<Tables>,
  { key, claim, request = null }: ClaimedCall,
  change: LedgerChange,
): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimedEntry(db, key, claim)
    .set({ ...change, ...(request !== null && { request: JSON.stringify(request) }), updated_at: DATABASE_NOW })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The ledger row of a call, as an administrator reads it. */
export interface LedgerRow extends Pick<LedgerEntry, 'status' | 'takeover' | 'failures' | 'result' | 'failure'> {
  readonly key: string;
  readonly node: string;
  /** The index of the `forEach` element for which the call is made. */
  readonly index: number | null;
  /** The kind and name of the callee, such as `tool:refund`. */
  readonly called: string;
  readonly nextAttemptAt: string | null;
  readonly claimedAt: string;
  readonly updatedAt: string;
}

/** Reads a page of a run's calls, ordered by key. */
async function listLedger(db: Kysely<Tables>, runId: string, { limit, after }: PageRequest): Promise<Page<LedgerRow>> {
  const rows = db
    .selectFrom('ledger')
    .select(['key', 'node', 'element', 'called', 'status', 'takeover', 'failures', 'result', 'failure'])
    .select(['next_attempt_at', 'claimed_at', 'updated_at'])
    .where('run_id', '=', runId)
    .where('key', '>', after?.id ?? '');
  const page = await readPage(db, rows, {
    limit,
    order: sql`key`,
    payloads: ['result', 'failure'],
    positionOf: ({ key }) => ({ at: '', id: key }),
  });
  return mapPage(page, (row) => ({
    key: row.key,
    node: row.node,
    index: row.element,
    called: row.called,
    status: row.status,
    takeover: row.takeover,
    failures: row.failures,
    result: row.result,
    failure: row.failure,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    claimedAt: row.claimed_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }));
}

/** A call that has failed and waits for its next attempt. */
export interface RetryingCall {
  readonly node: string;
  readonly index?: number;
  readonly attempt: number;
  readonly lastError: RunError | null;
  readonly nextAttemptAt: string | null;
}

/** Reads the calls of some runs that wait for another attempt, by run id. */
async function listRetrying(
  db: Kysely<Tables>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly RetryingCall[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('ledger')
    .select(['run_id', 'node', 'element', 'failures', 'failure', 'next_attempt_at'])
    .where('run_id', 'in', runIds)
    .where('status', '=', 'retrying')
    .orderBy('node')
    .orderBy('element')
    .orderBy('key')
    .execute();
  const found = new Map<string, RetryingCall[]>();
  for (const row of rows) {
    addToList(found, row.run_id, {
      node: row.node,
      ...(row.element !== null && { index: row.element }),
      attempt: row.failures + 1,
      lastError: row.failure?.error ?? null,
      nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    });
  }
  return found;
}

/** The text of a model call's answer. */
export interface AnswerText {
  readonly key: string;
  /** Empty when the call has no answer; a very long text is truncated. */
  readonly text: string;
}

const MAX_CALLS = 1_000;
const MAX_CHARACTERS = 100_000;

/** JSON escapes that PostgreSQL's text can't represent: NUL and unpaired surrogates. */
const NO_CHARACTER = String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`;
const REPLACEMENT = String.raw`\\ufffd`;

/**
 * The text of an answer, and the id of the last message that the model received, which shows whether the call was a
 * summary.
 */
interface AnswerRow extends AnswerText {
  readonly last_message: string | null;
}

/**
 * Reads the answer texts of a run's model calls in no particular order, without summaries. Characters that PostgreSQL
 * can't represent become U+FFFD.
 */
async function readAnswerTexts(db: Kysely<Tables>, runId: string): Promise<readonly AnswerText[]> {
  const { rows } = await sql<AnswerRow>`
    select key,
      coalesce(left(${readableColumn('result')} ->> 'text', ${MAX_CHARACTERS}), '') as text,
      case when position(${`"${SUMMARY_REQUEST}-`} in request::text) > 0
        then ${readableColumn('request')} #>> '{messages,-1,id}'
      end as last_message
    from ledger where run_id = ${runId} and called like 'model:%'
    limit ${MAX_CALLS}
  `.execute(db);
  return rows
    .filter(({ last_message: id }) => id === null || !asksForSummary(id))
    .map(({ key, text }) => ({ key, text }));
}

function readableColumn(column: 'result' | 'request'): RawBuilder<unknown> {
  return sql`regexp_replace(${sql.ref(column)}::text, ${NO_CHARACTER}, ${REPLACEMENT}, 'g')::json`;
}
