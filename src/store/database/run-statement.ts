import { CompiledQuery, sql } from 'kysely';
import type { Kysely, QueryResult, Transaction } from 'kysely';
import type { Sql } from 'sql-template-tag';
import type { Tables } from '../tables.ts';

/** Runs a statement that is text already. A step of a run has several; Kysely would build and walk a tree for each. */
export async function runStatement<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  { text, values }: Sql,
): Promise<QueryResult<Row>> {
  return await db.executeQuery<Row>(CompiledQuery.raw(text, values));
}

/** The clock of the database, because clocks of workers may differ. */
export const DATABASE_NOW = sql<string>`clock_timestamp()`;

/**
 * Does work in a transaction, one at a time by name, so that what it counts still holds when it writes.
 * @param name of the things, with their owner
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

/** The statements that put a thing. */
interface Putting {
  readonly update: (transaction: Transaction<Tables>) => Promise<{ readonly numUpdatedRows: bigint }>;
  /** Counts the things that the limit is for. */
  readonly count: (transaction: Transaction<Tables>) => Promise<{ readonly count: number }>;
  readonly insert: (transaction: Transaction<Tables>) => Promise<unknown>;
}

/** For the select of `count`. */
export const ROW_COUNT = sql<number>`count(*)::integer`.as('count');

/**
 * Changes a thing, or adds it while there are fewer than there may be.
 * @param name of the things, with their owner
 * @returns `null`: the limit is reached, and nothing is changed
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
