import { Migrator } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import * as initial from '../migrations/0001-initial.ts';
import { isDatabaseAway } from './database-away.ts';

/** All migrations in order. A released migration is never changed; changes are new migrations. */
const readMigrationFiles: Readonly<Record<string, Migration>> = { '0001-initial': initial };

/** Updates the tables to the latest migration. Several processes may call it at once. @throws DatabaseAwayError */
export async function migrate<T>(db: Kysely<T>): Promise<void> {
  const { error } = await migratorOf(db).migrateToLatest();
  if (isDatabaseAway(error)) throw error;
  if (error !== undefined) throw new Error('The database could not be brought up to date', { cause: error });
}

/** The names of applied and pending migrations, in order. */
export interface MigrationState {
  readonly done: readonly string[];
  readonly missing: readonly string[];
}

/** Reads which migrations a database has, without changing it. @throws DatabaseAwayError */
export async function readMigrations<T>(db: Kysely<T>): Promise<MigrationState> {
  const found = await migratorOf(db).getMigrations();
  const namesOf = (isDone: boolean): readonly string[] =>
    found.flatMap(({ name, executedAt }) => ((executedAt !== undefined) === isDone ? [name] : []));
  return { done: namesOf(true), missing: namesOf(false) };
}

function migratorOf<T>(db: Kysely<T>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => readMigrationFiles } });
}
