import { Kysely, sql } from 'kysely';
import type { Dialect } from 'kysely';
import { createApprovalNotes } from './approval-notes.ts';
import { createApprovals } from './approvals.ts';
import { createAudit } from './audit.ts';
import { createPiecesInTable, createPiecesInFiles } from './blobs/blob-pieces.ts';
import type { BlobPieces } from './blobs/blob-pieces.ts';
import { createBlobs } from './blobs/blobs.ts';
import type { Blobs } from './blobs/blobs.ts';
import { createCalls } from './calls/calls.ts';
import { createChanges } from './changes.ts';
import type { Changes } from './changes.ts';
import { createCheckpoints } from './checkpoints.ts';
import { createDeltas } from './deltas.ts';
import type { Deltas } from './deltas.ts';
import { createEndedRuns } from './ended-runs.ts';
import { createFailingRuns } from './failing-runs.ts';
import { createFiles } from './files.ts';
import { createHookMessages, createHooks } from './hooks.ts';
import { createMemory } from './memory/memory.ts';
import { createMemoryRanks } from './memory/meaning.ts';
import type { SemanticSearch } from './memory/meaning.ts';
import { createMemoryVectors } from './memory/memory-vectors.ts';
import { createGraphAliases, createGraphVersions } from './graph-aliases.ts';
import { createGraphs } from './graphs.ts';
import { createPendingStarts } from './pending-starts.ts';
import { createIdempotency } from './idempotency.ts';
import { createInterventions } from './interventions.ts';
import { createJournal } from './journal.ts';
import { createLedger } from './calls/ledger.ts';
import { isDatabaseAway } from './database/database-away.ts';
import { createPgliteDialect, listenToPglite } from './database/pglite-dialect.ts';
import type { EmbeddedDatabase } from './database/pglite-dialect.ts';
import type { Listen } from './database/listen.ts';
import { listenToPostgres, createPostgresDialect } from './database/postgres-dialect.ts';
import { migrate } from './database/migrate.ts';
import { readLiveCounts, createReadTenantUse } from './tenant-use.ts';
import { createRetention } from './retention.ts';
import type { RetentionStore } from './retention.ts';
import { createKnownOverrides } from './known-overrides.ts';
import { createSwitches } from './switches.ts';
import { createTenantTerms } from './tenant-terms.ts';
import { createRuns } from './runs.ts';
import { createHistoryParts } from './history-parts.ts';
import { createScheduleFires } from './schedules/schedule-fires.ts';
import { createSchedules } from './schedules/schedules.ts';
import { createStreamTickets } from './stream-tickets.ts';
import { createTenantEvents } from './tenant-events.ts';
import { createThreads } from './threads.ts';
import type { Tables } from './tables.ts';
import { createApprovalNotices } from './webhooks/webhook-events.ts';
import { createDueDeliveries } from './webhooks/due-deliveries.ts';
import { createWebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

/** All data that outlives a run or is shared between runs. */
export interface Store extends Readonly<ReturnType<typeof createStoreParts>> {
  /** Semantic search in memory; `null` when no model is configured (`memory/with-meaning.ts`). */
  readonly meaning: SemanticSearch | null;
  readonly blobs: Blobs;
  readonly retention: RetentionStore;
  readonly changes: Changes;
  readonly deltas: Deltas;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 20;
/** Connection limits for slow statements, such as migrations and pruning. */
const SLOW = { maxConnections: 2, queryTimeoutMs: 15 * 60_000 };
/** Connections for the pieces of large blobs, so that large statements do not block quick ones. */
const PIECES = { maxConnections: 2 };

/** Opens the store in a PostgreSQL database and migrates its tables. @throws DatabaseAwayError */
export async function openPostgresStore(url: string): Promise<Store> {
  return await openStore({
    dialect: createPostgresDialect(url, { maxConnections: MAX_CONNECTIONS }),
    slow: createPostgresDialect(url, SLOW),
    pieces: createPostgresDialect(url, PIECES),
    listen: listenToPostgres(url),
  });
}

/** Declares the store as a dependency for which a process waits at its start. */
export function postgresStore(url: string) {
  return { name: 'the database', open: () => openPostgresStore(url), isAway: isDatabaseAway };
}

/**
 * Opens the store in an embedded PostgreSQL, which executes one statement at a time.
 * @param folder stores large blobs as files, so that no statement waits for them; `null` stores them in the database
 */
export async function openEmbeddedStore(database: EmbeddedDatabase, folder: string | null = null): Promise<Store> {
  const dialect = createPgliteDialect(database);
  return await openStore({
    dialect,
    slow: dialect,
    pieces: folder === null ? dialect : createPiecesInFiles(folder),
    listen: listenToPglite(database),
  });
}

/** The connections of a store. */
interface StoreConnections {
  readonly dialect: Dialect;
  /** For slow statements; it may be the same as the others. */
  readonly slow: Dialect;
  readonly pieces: Dialect | BlobPieces;
  readonly listen: Listen;
}

async function openStore({ dialect, slow, pieces: storage, listen }: StoreConnections): Promise<Store> {
  const db = new Kysely<Tables>({ dialect });
  const open = (to: Dialect) => (to === dialect ? db : new Kysely<Tables>({ dialect: to }));
  const slowDb = open(slow);
  const piecesDb = 'put' in storage ? db : open(storage);
  const pieces = 'put' in storage ? storage : createPiecesInTable(piecesDb);
  const changes = createChanges(listen);
  const deltas = createDeltas(db, listen);
  const close = async (): Promise<void> => {
    await Promise.all([changes.close(), deltas.close()]);
    await Promise.all([...new Set([db, slowDb, piecesDb])].map((one) => one.destroy()));
  };
  await migrate(slowDb).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const retention = createRetention(slowDb, pieces);
  return { ...createStoreParts(db), meaning: null, blobs: createBlobs(db, pieces), retention, changes, deltas, close };
}

/** Creates the parts of the store that only execute quick statements. */
function createStoreParts(db: Kysely<Tables>) {
  const [switches, tenantTerms] = [createSwitches(db), createTenantTerms(db)];
  return {
    graphs: createGraphs(db),
    graphVersions: createGraphVersions(db),
    graphAliases: createGraphAliases(db),
    memory: createMemory(db),
    memoryRanks: createMemoryRanks(db),
    memoryVectors: createMemoryVectors(db),
    files: createFiles(db),
    runs: createRuns(db),
    pendingStarts: createPendingStarts(db),
    endedRuns: createEndedRuns(db),
    failingRuns: createFailingRuns(db),
    journal: createJournal(db),
    checkpoints: createCheckpoints(db),
    threads: createThreads(db),
    approvals: createApprovals(db),
    approvalNotes: createApprovalNotes(db),
    interventions: createInterventions(db),
    ledger: createLedger(db),
    calls: createCalls(db),
    idempotency: createIdempotency(db),
    historyParts: createHistoryParts(db),
    streamTickets: createStreamTickets(db),
    schedules: createSchedules(db),
    scheduleFires: createScheduleFires(db),
    tenantEvents: createTenantEvents(db),
    webhooks: createWebhooks(db),
    webhookDeliveries: createWebhookDeliveries(db),
    dueDeliveries: createDueDeliveries(db),
    approvalNotices: createApprovalNotices(db),
    hooks: createHooks(db),
    hookMessages: createHookMessages(db),
    audit: createAudit(db),
    switches,
    tenantTerms,
    /** The switches and tenant terms, as cached by this process. */
    overrides: createKnownOverrides(async () => {
      const [switchedOff, terms] = await Promise.all([switches.off(), tenantTerms.all()]);
      return { switchedOff, tenants: new Map(terms.map((one) => [one.tenantId, one])) };
    }),
    countLive: () => readLiveCounts(db),
    readTenantUse: createReadTenantUse(db),
    /** @throws when the database does not answer */
    ping: async () => void (await sql`select 1`.execute(db)),
  };
}
