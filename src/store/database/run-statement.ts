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
    await lockName(transaction, name);
    return await work(transaction);
  });
}

/** Locks a name until the transaction ends. */
export async function lockName(transaction: Transaction<Tables>, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/** A statement that has not been executed yet. */
interface StatementToRun<Row> {
  executeTakeFirst(): Promise<Row | undefined>;
  executeTakeFirstOrThrow(): Promise<Row>;
}

/** The statements that write a resource. */
interface ResourceStatements<Row> {
  /** Returns the row of the resource, which it may change. */
  readonly existing: (transaction: Transaction<Tables>) => StatementToRun<Row>;
  /** Counts the resources to which the limit applies. */
  readonly count: (transaction: Transaction<Tables>) => StatementToRun<{ readonly count: number }>;
  readonly insert: (transaction: Transaction<Tables>) => StatementToRun<Row>;
}

/** Selects the number of rows, for `count`. */
export const ROW_COUNT = sql<number>`count(*)::integer`.as('count');

/**
 * Changes a resource, or adds it if the limit is not reached.
 * @param name identifies the counted resources and their owner
 * @returns `null` when the limit is reached; nothing is changed
 */
export async function putUpTo<Row>(
  db: Kysely<Tables>,
  name: string,
  most: number,
  { existing, count: countAll, insert }: ResourceStatements<Row>,
): Promise<{ readonly row: Row; readonly isNew: boolean } | null> {
  return await oneAtATime(db, name, async (transaction) => {
    const changed = await existing(transaction).executeTakeFirst();
    if (changed) return { row: changed, isNew: false };
    const { count } = await countAll(transaction).executeTakeFirstOrThrow();
    if (count >= most) return null;
    return { row: await insert(transaction).executeTakeFirstOrThrow(), isNew: true };
  });
}
