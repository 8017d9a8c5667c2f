import { sql } from 'kysely';
import { z } from 'zod';
import { loadConfig } from '../../config/load-config.ts';
import { readMigrations } from '../../store/database/migrate.ts';
import { readLiveCounts } from '../../store/tenant-use.ts';
import { checkClock } from './doctor-check.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { useDatabase } from './connections.ts';

/** The checks of a database: its availability, its tables, memory, and the calls in its ledger. */
export function databaseChecks(url: string, configFile: string | undefined): readonly DoctorCheck[] {
  return [databaseCheck(url), tablesCheck(url), memoryCheck(url, configFile), ledgerCheck(url)];
}

const DatabaseTimeSchema = z.object({ version: z.string(), now: z.coerce.date() });

function databaseCheck(url: string): DoctorCheck {
  return {
    name: 'database',
    remedy: 'set DATABASE_URL to a PostgreSQL that runs, and the clocks by NTP',
    find: async () =>
      await useDatabase(url, async (db) => {
        const { rows } = await sql`select current_setting('server_version') as version, now() as now`.execute(db);
        const { version, now } = DatabaseTimeSchema.parse(rows[0]);
        checkClock('its', now);
        return `PostgreSQL ${version}`;
      }),
  };
}

function tablesCheck(url: string): DoctorCheck {
  return {
    name: 'tables',
    remedy: 'holdfast setup makes and upgrades them, as API and workers do when they start',
    find: async () =>
      await useDatabase(url, async (db) => {
        const { done, missing } = await readMigrations(db);
        if (missing.length > 0) throw new Error(`The database lacks the migrations ${missing.join(', ')}`);
        return `as ${done.join(', ')} left them`;
      }),
  };
}

const ExtensionSchema = z.object({ version: z.string() });

function memoryCheck(url: string, file: string | undefined): DoctorCheck {
  return {
    name: 'memory',
    remedy: 'install pgvector (https://github.com/pgvector/pgvector); its administrator runs: create extension vector',
    async find() {
      const { embeddings } = (await loadConfig(file)).memory;
      if (!embeddings) return 'found by its words: memory.embeddings is not set';
      return await useDatabase(url, async (db) => {
        const { rows } = await sql`
          select coalesce(installed_version, default_version) as version
          from pg_available_extensions where name = 'vector'
        `.execute(db);
        const found = ExtensionSchema.safeParse(rows[0]);
        if (!found.success)
          throw new Error('The database has no extension "vector", so memory is not found by meaning');
        return `found by meaning: ${embeddings.model}, pgvector ${found.data.version}`;
      });
    },
  };
}

function ledgerCheck(url: string): DoctorCheck {
  return {
    name: 'unknown outcomes',
    remedy: 'holdfast interventions lists those that wait for a person; holdfast retry, skip and fail settle them',
    find: async () =>
      await useDatabase(url, async (db) => {
        if ((await readMigrations(db)).missing.length > 0) return 'there is no ledger yet';
        const { unknownOutcomes } = await readLiveCounts(db);
        if (unknownOutcomes > 0) throw new Error(`Nobody knows if calls were made: ${unknownOutcomes}`);
        return 'none';
      }),
  };
}
