import { Kysely } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { addPruned, NOTHING_PRUNED } from '../../../src/store/retention.ts';
import type { Pruned } from '../../../src/store/retention.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { enqueueRun } from '../../../src/store/thread-queue.ts';
import { fromWorkflowId, toWorkflowId } from '../../../src/workflows/contract.ts';
import { AT, LATER, aBatch, aCheckpoint, aNewRun, aView, writeTo } from '../../support/builders/store-builders.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';

let server: PostgresServer;
let store: Store;
let db: Kysely<Tables>;
beforeAll(async () => {
  server = await startPostgres();
  store = await openPostgresStore(server.url);
  db = new Kysely<Tables>({ dialect: createPostgresDialect(server.url, { maxConnections: 2 }) });
});
afterAll(async () => {
  await Promise.all([store.close(), db.destroy()]);
  await server.stop();
});

let count = 0;
let threadId = '';
let last = '';
/** A thread whose only run ended long ago, with a checkpoint. */
beforeEach(async () => {
  threadId = `t${++count}`;
  last = `last-${count}`;
  await store.runs.create(aNewRun({ id: last, threadId }));
  await store.pendingStarts.claim(last, AT, LATER);
  await store.pendingStarts.complete({ id: last, execution: 1 }, AT);
  const view = aView({ status: 'completed', endedAt: AT });
  await writeTo(store, { id: last }, aBatch([1], { checkpoints: [aCheckpoint(last, 1)], view }));
});

async function prune(): Promise<Pruned> {
  let total = NOTHING_PRUNED;
  const retention = { runsBefore: LATER, checkpointsBefore: null, toWorkflowId, fromWorkflowId };
  for await (const pruned of store.retention.prune(retention, 100)) total = addPruned(total, pruned);
  return total;
}

const hasCheckpoint = async (): Promise<boolean> => (await store.checkpoints.find(last, null)) !== null;
const predecessorOf = async (id: string) => (await store.runs.find(id))?.predecessorId;

describe('pruning during the start of a run', () => {
  test('pruning keeps the last run of a thread while the next run of the thread is starting', async () => {
    await db.transaction().execute(async (transaction) => {
      const begun = { runId: `next-${count}`, tenantId: 'acme', threadId, at: LATER };
      expect(await enqueueRun(transaction, begun, false)).toEqual({ kind: 'active', predecessorId: last });
      expect(await prune()).toMatchObject({ runs: 0, checkpoints: 0 });
    });
    expect(await hasCheckpoint()).toBe(true);
  });

  test('a run that starts on a thread after pruning has no predecessor', async () => {
    let next: Promise<string> = Promise.resolve('');
    await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('threads').where('last_run_id', '=', last).execute();
      next = store.runs.create(aNewRun({ id: `next-${count}`, threadId }));
      await transaction.deleteFrom('runs').where('id', '=', last).execute();
    });
    expect(await next).toBe('accepted');
    expect(await predecessorOf(`next-${count}`)).toBeNull();
  });

  test('pruning keeps the last run of a thread with a queued run', async () => {
    await db.updateTable('threads').set({ active_run_id: 'somebody' }).where('id', '=', threadId).execute();
    await store.runs.create(aNewRun({ id: `queued-${count}`, threadId, onBusy: 'enqueue' }));
    await db.updateTable('threads').set({ active_run_id: null }).where('id', '=', threadId).execute();
    await prune();
    expect(await hasCheckpoint()).toBe(true);
  });

  test.each(Array.from({ length: 20 }, (_, n) => n))(
    'pruning concurrent with a new run either deletes the predecessor or keeps it (round %i)',
    async (n) => {
      const id = `beside-${n}`;
      const [created] = await Promise.all([store.runs.create(aNewRun({ id, threadId })), prune()]);
      expect(created).toBe('accepted');
      expect([await predecessorOf(id), await hasCheckpoint()]).toSatisfy(
        ([predecessor, isThere]) => (predecessor === last && isThere === true) || (predecessor === null && !isThere),
      );
    },
  );
});
