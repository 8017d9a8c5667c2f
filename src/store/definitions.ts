import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { hasCode } from '../graph/values/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import type { Tables } from './tables.ts';

/** Stores the definition for a row that is about to refer to it, and locks it until the transaction ends. */
export async function keepDefinition(
  transaction: Transaction<Tables>,
  hash: string,
  definition: JsonObject,
): Promise<void> {
  while (!(await lockDefinition(transaction, hash)))
    await transaction
      .insertInto('definitions')
      .values({ hash, definition: JSON.stringify(definition) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/**
 * Repeats work that stores a row together with its definition, because pruning may delete the definition before the row
 * is stored.
 */
export async function retryIfDefinitionDeleted<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, FOREIGN_KEY_VIOLATION)) throw error;
    }
  }
}

const FOREIGN_KEY_VIOLATION = '23503';

async function lockDefinition(transaction: Transaction<Tables>, hash: string): Promise<boolean> {
  const found = transaction.selectFrom('definitions').select('hash').where('hash', '=', hash).forKeyShare();
  return (await found.executeTakeFirst()) !== undefined;
}

/**
 * Deletes the definitions to which no row refers. They are locked first: a concurrent transaction that refers to one
 * has either stored its row by then, or stores the definition again.
 */
export async function forgetDefinitions(transaction: Transaction<Tables>, hashes: readonly string[]): Promise<void> {
  await sql`select from definitions where hash = any(${hashes}::text[]) order by hash for update`.execute(transaction);
  await sql`
    delete from definitions where hash = any(${hashes}::text[])
      and not exists (select from graphs where graphs.hash = definitions.hash)
      and not exists (select from runs where runs.graph_hash = definitions.hash)
  `.execute(transaction);
}
