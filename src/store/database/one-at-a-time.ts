import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

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
