import { Kysely, sql } from 'kysely';
import type { Dialect } from 'kysely';
import { createApprovalNotes } from './approval-notes.ts';
import type { ApprovalNotes } from './approval-notes.ts';
import { createApprovals } from './approvals.ts';
import type { Approvals } from './approvals.ts';
import { createAudit } from './audit.ts';
import type { Audit } from './audit.ts';
import { createPiecesInTable, createPiecesInFiles } from './blobs/blob-pieces.ts';
import type { BlobPieces } from './blobs/blob-pieces.ts';
import { createBlobs } from './blobs/blobs.ts';
import type { Blobs } from './blobs/blobs.ts';
import { createCalls } from './calls/calls.ts';
import type { Calls } from './calls/calls.ts';
import { createChanges } from './changes.ts';
import type { Changes } from './changes.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { Checkpoints } from './checkpoints.ts';
import { createDeltas } from './deltas.ts';
import type { Deltas } from './deltas.ts';
import { createEndedRuns } from './ended-runs.ts';
import type { EndedRuns } from './ended-runs.ts';
import { createFailingRuns } from './failing-runs.ts';
import type { FailingRuns } from './failing-runs.ts';
import { createFiles } from './files.ts';
import type { Files } from './files.ts';
import { createHookMessages, createHooks } from './hooks.ts';
import type { HookMessages, Hooks } from './hooks.ts';
import { createMemory } from './memory/memory.ts';
import type { Memory } from './memory/memory.ts';
import { createMemoryRanks } from './memory/meaning.ts';
import type { MemoryRanks } from './memory/meaning.ts';
import type { SemanticSearch } from './memory/meaning.ts';
import { createMemoryVectors } from './memory/memory-vectors.ts';
import type { MemoryVectors } from './memory/memory-vectors.ts';
import { createGraphAliases, createGraphVersions } from './graph-aliases.ts';
import type { GraphAliases, GraphVersions } from './graph-aliases.ts';
import { createGraphs } from './graphs.ts';
import type { Graphs } from './graphs.ts';
import { createPendingStarts } from './pending-starts.ts';
import type { PendingStarts } from './pending-starts.ts';
import { createIdempotency } from './idempotency.ts';
import type { Idempotency } from './idempotency.ts';
import { createInterventions } from './interventions.ts';
import type { Interventions } from './interventions.ts';
import { createJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { createLedger } from './calls/ledger.ts';
import type { Ledger } from './calls/ledger.ts';
import { isDatabaseAway } from './database/database-away.ts';
import { createPgliteDialect, listenToPglite } from './database/pglite-dialect.ts';
import type { EmbeddedDatabase } from './database/pglite-dialect.ts';
import type { Listen } from './database/listen.ts';
import { listenToPostgres, createPostgresDialect } from './database/postgres-dialect.ts';
import { migrate } from './database/migrate.ts';
import { readLiveCounts, createReadTenantUse } from './tenant-use.ts';
import type { LiveCounts, TenantUse, UseQuery } from './tenant-use.ts';
import { createRetention } from './retention.ts';
import type { RetentionStore } from './retention.ts';
import { createKnownOverrides } from './known-overrides.ts';
import type { KnownOverrides } from './known-overrides.ts';
import { createSwitches } from './switches.ts';
import type { Switches } from './switches.ts';
import { createTenantTerms } from './tenant-terms.ts';
import type { AllTenantTerms } from './tenant-terms.ts';
import { createRuns } from './runs.ts';
import type { Runs } from './runs.ts';
import { createHistoryParts } from './history-parts.ts';
import type { HistoryParts } from './history-parts.ts';
import { createScheduleFires } from './schedules/schedule-fires.ts';
import type { ScheduleFires } from './schedules/schedule-fires.ts';
import { createSchedules } from './schedules/schedules.ts';
import type { Schedules } from './schedules/schedules.ts';
import { createStreamTickets } from './stream-tickets.ts';
import type { StreamTickets } from './stream-tickets.ts';
import { createTenantEvents } from './tenant-events.ts';
import type { TenantEvents } from './tenant-events.ts';
import { createThreads } from './threads.ts';
import type { Threads } from './threads.ts';
import type { Tables } from './tables.ts';
import { createApprovalNotices } from './webhooks/webhook-events.ts';
import type { ApprovalNotices } from './webhooks/webhook-events.ts';
import { createDueDeliveries } from './webhooks/due-deliveries.ts';
import type { DueDeliveries } from './webhooks/due-deliveries.ts';
import { createWebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import type { WebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** The parts of the store that only execute quick statements. */
interface StoreParts {
  readonly graphs: Graphs;
  readonly graphVersions: GraphVersions;
  readonly graphAliases: GraphAliases;
  readonly memory: Memory;
  readonly memoryRanks: MemoryRanks;
  readonly memoryVectors: MemoryVectors;
  readonly files: Files;
  readonly runs: Runs;
  readonly pendingStarts: PendingStarts;
  readonly endedRuns: EndedRuns;
  readonly failingRuns: FailingRuns;
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  readonly threads: Threads;
  readonly approvals: Approvals;
  readonly approvalNotes: ApprovalNotes;
  readonly interventions: Interventions;
  readonly ledger: Ledger;
  readonly calls: Calls;
  readonly idempotency: Idempotency;
  readonly historyParts: HistoryParts;
  readonly streamTickets: StreamTickets;
  readonly schedules: Schedules;
  readonly scheduleFires: ScheduleFires;
  readonly tenantEvents: TenantEvents;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly dueDeliveries: DueDeliveries;
  readonly approvalNotices: ApprovalNotices;
  readonly hooks: Hooks;
  readonly hookMessages: HookMessages;
  readonly audit: Audit;
  readonly switches: Switches;
  readonly tenantTerms: AllTenantTerms;
  /** The switches and tenant terms, as cached by this process. */
  readonly overrides: KnownOverrides;
  countLive(): Promise<LiveCounts>;
  readTenantUse(query: UseQuery): Promise<TenantUse>;
  /** @throws when the database does not answer */
  ping(): Promise<void>;
}

/** All data that outlives a run or is shared between runs. */
export interface Store extends StoreParts {
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

function createStoreParts(db: Kysely<Tables>): StoreParts {
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
    overrides: createKnownOverrides(async () => {
      const [switchedOff, terms] = await Promise.all([switches.off(), tenantTerms.all()]);
      return { switchedOff, tenants: new Map(terms.map((one) => [one.tenantId, one])) };
    }),
    countLive: () => readLiveCounts(db),
    readTenantUse: createReadTenantUse(db),
    ping: async () => void (await sql`select 1`.execute(db)),
  };
}
