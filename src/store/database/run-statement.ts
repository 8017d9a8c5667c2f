import { CompiledQuery } from 'kysely';
import type { Kysely, QueryResult } from 'kysely';
import type { Sql } from 'sql-template-tag';

/** Runs a statement that is text already. A step of a run has several; Kysely would build and walk a tree for each. */
export async function runStatement<Row>(
  db: Pick<Kysely<unknown>, 'executeQuery'>,
  { text, values }: Sql,
): Promise<QueryResult<Row>> {
  return await db.executeQuery<Row>(CompiledQuery.raw(text, values));
}
