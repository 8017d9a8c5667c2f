import { CompiledQuery, sql } from 'kysely';
import type { Kysely, QueryResult, Transaction } from 'kysely';
import type { Sql } from 'sql-template-tag';
import type { Tables } from '../tables.ts';

/**
 * Executes an SQL text. A step of a run executes several statements, for each of which Kysely would build and walk a
 * tree.
 */
export async function runStatement<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  { text, values }: Sql,
): Promise<QueryResult<Row>> {
  return await db.executeQuery<Row>(CompiledQuery.raw(text, values));
}

/** The clock of the database, because the clocks of workers may differ. */
export const DATABASE_NOW = sql<string>`clock_timestamp()`;

/**
 * Executes work in a transaction, one at a time for each name, so that a count is still valid when the work writes.
 * @param name identifies the counted resources and their owner
 */
export async function oneAtATime<T>(
  db: Kysely<Tables>,
  name: string,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
    return await work(transaction);
  });
}

/** The statements that write a resource. */
interface Putting {
  readonly update: (transaction: Transaction<Tables>) => Promise<{ readonly numUpdatedRows: bigint }>;
  /** Counts the resources to which the limit applies. */
  readonly count: (transaction: Transaction<Tables>) => Promise<{ readonly count: number }>;
  readonly insert: (transaction: Transaction<Tables>) => Promise<unknown>;
}

/** Selects the number of rows, for `count`. */
export const ROW_COUNT = sql<number>`count(*)::integer`.as('count');

/**
 * Updates a resource, or adds it if the limit is not reached.
 * @param name identifies the counted resources and their owner
 * @returns `null` when the limit is reached; nothing is changed
 */
export async function putUpTo(
  db: Kysely<Tables>,
  { name, most }: { readonly name: string; readonly most: number },
  { update, count: countAll, insert }: Putting,
): Promise<{ readonly isNew: boolean } | null> {
  return await oneAtATime(db, name, async (transaction) => {
    const { numUpdatedRows } = await update(transaction);
    if (numUpdatedRows > 0n) return { isNew: false };
    const { count } = await countAll(transaction);
    if (count >= most) return null;
    await insert(transaction);
    return { isNew: true };
  });
}
