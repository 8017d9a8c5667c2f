import { Migrator } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import * as initial from '../migrations/0001-initial.ts';
import { isDatabaseAway } from './database-away.ts';

/** All migrations in order. A released migration never changes; a new one is added. */
const migrations: Readonly<Record<string, Migration>> = { '0001-initial': initial };

/** Brings the tables up to date; several processes may call it at once. @throws DatabaseAwayError */
export async function migrate<T>(db: Kysely<T>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (isDatabaseAway(error)) throw error;
  if (error !== undefined) throw new Error('The database could not be brought up to date', { cause: error });
}
