import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** Which attempt of a call's activity holds its claim: an earlier one, which comes late, can't take it over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ledger add column attempt integer not null default 1`.execute(db);
}
