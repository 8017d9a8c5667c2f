import { Migrator } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { isDatabaseAway } from './database-away.ts';
import * as initial from './migrations/0001-initial.ts';
import * as lateAttempts from './migrations/0002-late-attempts.ts';
import * as earlySignals from './migrations/0003-early-signals.ts';
import * as elements from './migrations/0004-elements.ts';

/** Every migration in order. One that has been released is never changed; a new one is added. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-late-attempts': lateAttempts,
  '0003-early-signals': earlySignals,
  '0004-elements': elements,
};

/** Brings the tables up to date; several processes may do so at once. @throws DatabaseAwayError */
export async function migrate<T>(db: Kysely<T>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (isDatabaseAway(error)) throw error;
  if (error !== undefined) throw new Error('The database could not be brought up to date', { cause: error });
}
