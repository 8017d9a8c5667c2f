import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Which element of a list a call is made for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ledger add column element integer`.execute(db);
}
