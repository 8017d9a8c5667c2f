import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { oneAtATime } from './one-at-a-time.ts';

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
