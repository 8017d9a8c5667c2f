import { sql } from 'kysely';
import type { Kysely, Transaction, RawBuilder } from 'kysely';
import statement, { empty, join, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { isObjectOf, isRunError, isText } from '../../graph/values/index.ts';
import type { Json, TaskFailure, RunError } from '../../graph/values/index.ts';
import type { JournalBatch } from '../../graph/journal/index.ts';
import { DATABASE_NOW, runStatement } from '../database/run-statement.ts';
import { announceBatch, journalParts } from '../journal.ts';
import type { JournalWriter } from '../journal.ts';
import type { LedgerStatus } from '../column-values.ts';
import type { Tables } from '../tables.ts';

/** A call that a worker is about to make. */
export interface CallClaim {
  /** The idempotency key of the call. */
  readonly key: string;
  readonly tenantId: string;
  readonly runId: string;
  readonly node: string;
  /** The index of the `forEach` element for which the call is made. */
  readonly index?: number | undefined;
  /** The kind and name of the callee, such as `tool:pay`. */
  readonly called: string;
  readonly requestHash: string;
  /** The request, which is stored for display. */
  readonly request?: Json;
  /** Increases when a person orders a takeover of the call. */
  readonly takeover: number;
  /** The id of this attempt. */
  readonly claim: string;
  /** When Temporal scheduled the attempt, in milliseconds since the epoch; it orders the attempts. */
  readonly scheduledAt: number;
  readonly at: string;
  /** A journal batch that is written in the same statement, or `null`. */
  readonly journal: { readonly batch: JournalBatch; readonly writer: JournalWriter } | null;
}

/** The ledger's entry of a call, as another attempt finds it when it claims the call. */
export interface LedgerEntry {
  /** The attempt that holds the claim. */
  readonly claim: string;
  readonly scheduledAt: number;
  /** The time since the last change of the entry, in milliseconds. */
  readonly ageMs: number;
  readonly status: LedgerStatus;
  readonly requestHash: string;
  /** Increases when a person orders a takeover of the call. */
  readonly takeover: number;
  readonly failures: number;
  readonly result: Json;
  readonly failure: TaskFailure | null;
}

/** Identifies the version of an entry that was read. */
export type SeenEntry = Pick<LedgerEntry, 'claim' | 'status'>;

/** The decision whether a claim takes over the entry of an earlier attempt. */
export type ClaimJudgement<T> =
  | {
      /** This attempt takes over the entry. */
      readonly isGranted: true;
      readonly failures: number;
      /** A failure of an earlier attempt that must be stored, if the entry has none. */
      readonly lostAttempt?: TaskFailure;
    }
  | { readonly isGranted: false; readonly answer: T };

/** A successful claim. */
export interface SuccessfulClaim {
  readonly failures: number;
  /** The entry before the claim; `null` for the first attempt. */
  readonly before: LedgerEntry | null;
}

/** The end of a call, or of an attempt that is going to be followed by another one. */
export type CallEnd =
  | { readonly status: 'completed'; readonly result: Json }
  | {
      readonly status: 'retrying' | 'failed' | 'unknown';
      readonly failure: TaskFailure;
      /** The number of failed attempts; absent when the ledger's count is right. */
      readonly failures?: number;
      readonly nextAttemptAt?: string;
    };

interface ClaimRequest {
  readonly claim: CallClaim;
  /** The end to record; `null` to claim the call. */
  readonly end: CallEnd | null;
}

/**
 * Claims a call, or records its end without a claim. If the call has an entry, `judge` decides under a row lock whether
 * this attempt takes it over.
 * @returns the number of earlier failures and the earlier entry, or the refusal of `judge`
 * @internal
 */
export async function claimEntry<T>(
  db: Kysely<Tables>,
  request: ClaimRequest,
  judge: (entry: LedgerEntry) => ClaimJudgement<T>,
): Promise<SuccessfulClaim | { answer: T }> {
  if (await insertClaim(db, request)) return { failures: 0, before: null };
  return await db.transaction().execute(async (transaction) => {
    const before = await lockEntry(transaction, request.claim.key);
    if (isResultRecorded(request, before)) return { failures: before.failures, before: null };
    const judgement = judge(before);
    if (!judgement.isGranted) return { answer: judgement.answer };
    const { failures, lostAttempt } = judgement;
    const columns = {
      ...(lostAttempt && { failure: JSON.stringify(lostAttempt) }),
      failures,
      next_attempt_at: null,
      ...claimColumns(request),
      attempts: withAttempts([lostAttempt, failureOfRow(request)], request.claim.at),
    };
    await transaction.updateTable('ledger').set(columns).where('key', '=', request.claim.key).execute();
    return { failures, before };
  });
}

/** Returns true if this request has already written the entry: a request is repeated when its answer was lost. */
function isResultRecorded({ claim, end }: ClaimRequest, entry: LedgerEntry): boolean {
  return end !== null && entry.claim === claim.claim && entry.status === end.status;
}

async function insertClaim(db: Kysely<Tables>, request: ClaimRequest): Promise<boolean> {
  const { journal } = request.claim;
  const parts = [
    statement`claimed as (${insertEntry(request)})`,
    ...(journal ? journalParts(journal.batch, journal.writer) : []),
  ];
  const announced = journal ? statement`, ${announceBatch(journal.batch, journal.writer)}` : empty;
  const { rows } = await runStatement<{ is_claimed: boolean }>(
    db,
    statement`with ${join(parts)} select exists (select from claimed) as is_claimed${announced}`,
  );
  return rows[0]?.is_claimed === true;
}

function insertEntry(request: ClaimRequest): Sql {
  const { key, tenantId, runId, node, index = null, called } = request.claim;
  const { updated_at: _now, ...columns } = claimColumns(request);
  const entry = {
    key,
    tenant_id: tenantId,
    run_id: runId,
    node,
    element: index,
    called,
    failures: 0,
    ...columns,
    attempts: toAttemptTexts([failureOfRow(request)], request.claim.at),
  };
  return statement`
    insert into ledger (updated_at, ${raw(Object.keys(entry).join(', '))})
    values (clock_timestamp(), ${join(Object.values(entry))})
    on conflict (key) do nothing
    returning key
  `;
}

/** Builds the columns of an entry that is claimed or closed now. */
function claimColumns({ claim: { claim, scheduledAt, takeover, requestHash, request = null, at }, end }: ClaimRequest) {
  return {
    claim,
    scheduled_at: new Date(scheduledAt).toISOString(),
    takeover,
    request_hash: requestHash,
    ...(request !== null && { request: JSON.stringify(request) }),
    claimed_at: at,
    updated_at: DATABASE_NOW,
    ...(end ? endColumns(end) : ({ status: 'claimed' } as const)),
  };
}

/** Builds the columns that record how a call or an attempt has ended. */
export function endColumns(end: CallEnd) {
  if (end.status === 'completed')
    return { status: end.status, result: JSON.stringify(end.result), failure: null } as const;
  const { status, failure, failures, nextAttemptAt } = end;
  return {
    status,
    failure: JSON.stringify(failure),
    next_attempt_at: nextAttemptAt ?? null,
    ...(failures !== undefined && { failures }),
  };
}

function failureOfRow({ end }: ClaimRequest): TaskFailure | undefined {
  return end && end.status !== 'completed' ? end.failure : undefined;
}

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

/** A failed attempt of a call. */
export interface FailedAttempt {
  /** RFC 3339. */
  readonly at: string;
  readonly error: RunError;
}

/**
 * Builds the texts of attempts that have failed at a time. They are stored as text, because PostgreSQL's `json` can't
 * be concatenated.
 */
function toAttemptTexts(failures: readonly (TaskFailure | undefined)[], at: string): string[] {
  return failures.flatMap((failure) => (failure ? [JSON.stringify({ at, error: failure.error })] : []));
}

/** Parses a stored attempt. @throws TypeError for any other text */
export function toFailedAttempt(text: string): FailedAttempt {
  const value: unknown = JSON.parse(text);
  if (isFailedAttempt(value)) return value;
  throw new TypeError('The ledger holds what is no attempt');
}

const isFailedAttempt = isObjectOf<FailedAttempt>({ at: isText, error: isRunError });

/** Builds an expression that appends new failed attempts to those of the row. @internal */
export function withAttempts(
  failures: readonly (TaskFailure | undefined)[],
  at: string,
): RawBuilder<readonly string[]> {
  return sql<readonly string[]>`attempts || ${toAttemptTexts(failures, at)}::text[]`;
}

/** The end of an attempt. */
interface AttemptEnd {
  readonly status: string;
  readonly failures: number;
  readonly failure: TaskFailure;
}

/**
 * Like `withAttempts`, but has no effect if the row already records this end: a record is repeated when its answer was
 * lost.
 * @internal
 */
export function withAttemptOnce({ status, failures, failure }: AttemptEnd, at: string): RawBuilder<readonly string[]> {
  return sql<readonly string[]>`case
    when status = ${status} and failures = ${failures} and failure::text = ${JSON.stringify(failure)} then attempts
    else ${withAttempts([failure], at)}
  end`;
}
