import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** What a run was told while it waited for its turn, for the moment that it begins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs add column early_signals json not null default '[]'`.execute(db);
}
