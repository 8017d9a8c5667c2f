import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** When the server scheduled the attempt that holds a call's claim: an earlier one, which comes late, can't take it over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ledger add column scheduled_at timestamptz not null default 'epoch'`.execute(db);
}
