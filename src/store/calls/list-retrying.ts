import type { Kysely } from 'kysely';
import { addToList } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { Tables } from '../tables.ts';

/** A call that has failed and waits for its next attempt. */
export interface Retrying {
  readonly node: string;
  readonly index?: number;
  readonly attempt: number;
  readonly lastError: RunError | null;
  readonly nextAttemptAt: string | null;
}

/** Reads the calls of some runs that are tried again, by the ids of the runs. */
export async function listRetrying(
  db: Kysely<Tables>,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Retrying[]>> {
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
  const found = new Map<string, Retrying[]>();
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
