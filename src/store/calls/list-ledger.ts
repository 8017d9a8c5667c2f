import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Json, TaskFailure } from '../../graph/values/index.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { LedgerTable } from './ledger-table.ts';
import type { Tables } from '../tables.ts';

/** The row of a call, as an administrator reads it. */
export interface LedgerRow {
  readonly key: string;
  readonly node: string;
  /** The element of a `forEach` that the call is made for. */
  readonly index: number | null;
  /** What is called, for example `tool:refund`. */
  readonly called: string;
  readonly status: LedgerTable['status'];
  /** Goes up when a person orders the call again. */
  readonly takeover: number;
  readonly failures: number;
  readonly result: Json;
  readonly failure: TaskFailure | null;
  readonly nextAttemptAt: string | null;
  readonly claimedAt: string;
  readonly updatedAt: string;
}

/** A page of a run's calls, ordered by their keys. */
export async function listLedger(
  db: Kysely<Tables>,
  runId: string,
  { limit, after }: PageRequest,
): Promise<Page<LedgerRow>> {
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
