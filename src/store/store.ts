import type { PGlite } from '@electric-sql/pglite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { createApprovals } from './approvals.ts';
import type { Approvals } from './approvals.ts';
import { createGraphs } from './graphs.ts';
import type { Graphs } from './graphs.ts';
import { createIdempotency } from './idempotency.ts';
import type { Idempotency } from './idempotency.ts';
import { createJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { migrate } from './migrate.ts';
import { createPgliteDialect } from './pglite-dialect.ts';
import { createRuns } from './runs.ts';
import type { Runs } from './runs.ts';
import type { Tables } from './tables.ts';

/** Everything that outlives a run, or spans runs. */
export interface Store {
  readonly graphs: Graphs;
  readonly runs: Runs;
  readonly journal: Journal;
  readonly approvals: Approvals;
  readonly ledger: Ledger;
  readonly idempotency: Idempotency;
  /** @throws when the database does not answer */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the store in a PostgreSQL database and brings its tables up to date. */
export async function openPostgresStore(url: string): Promise<Store> {
  return await openStore(new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 20 }) }) }));
}

/** Opens the store in an embedded PostgreSQL, which keeps its files in a folder. */
export async function openEmbeddedStore(database: PGlite): Promise<Store> {
  return await openStore(new Kysely<Tables>({ dialect: createPgliteDialect(database) }));
}

async function openStore(db: Kysely<Tables>): Promise<Store> {
  await migrate(db);
  return {
    graphs: createGraphs(db),
    runs: createRuns(db),
    journal: createJournal(db),
    approvals: createApprovals(db),
    ledger: createLedger(db),
    idempotency: createIdempotency(db),
    ping: async () => void (await sql`select 1`.execute(db)),
    close: () => db.destroy(),
  };
}
