import { beforeAll, expect, test, vi } from 'vitest';
import { isJsonList, isJsonObject } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { MAX_QUEUED } from '../../../src/store/thread-queue.ts';
import { AT, aBatch, aNewRun, aView } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

/** A free thread and one to be interrupted, each with a full queue, and many threads that wait for their active run. */
async function fill(): Promise<void> {
  await store.database.exec(`
    insert into definitions (hash, definition) values ('h', '{}');
    insert into threads (tenant_id, id, active_run_id, last_run_id, has_queue, created_at, updated_at)
    select 'acme', 't' || n, case when n = 1 then null else 'active' || n end, 'last', true, now(), now()
    from generate_series(1, 1000) as n;
    insert into runs (id, tenant_id, thread_id, status, graph_name, graph_hash, start, input, limits, metadata, labels,
      redaction, created_by, created_at, execution, is_dequeued, interrupts, dispatch_after)
    select 'r' || n, 'acme', 't' || case when n <= 1000 then n else n % 2 + 1 end, 'queued', 'g', 'h', '{}', '{}', '{}',
      '{}', '{}', '{}', 'uma', timestamptz '2026-01-01' + n * interval '1 s', 1, false, n = 1501, now()
    from generate_series(1, ${998 + 2 * MAX_QUEUED}) as n;
    analyze runs;
    analyze threads;
  `);
}

/** The number of rows that the scans of a query plan have read. */
function rowsRead(plan: Json): number {
  if (isJsonList(plan)) return plan.reduce<number>((sum, part) => sum + rowsRead(part), 0);
  if (!isJsonObject(plan)) return 0;
  const { 'Actual Rows': rows, 'Actual Loops': loops, 'Rows Removed by Filter': removed } = plan;
  const isScan = 'Relation Name' in plan;
  const read = isScan ? (Number(rows) + Number(removed ?? 0)) * Number(loops) : 0;
  return Object.values(plan).reduce<number>((sum, part) => sum + rowsRead(part), read);
}

beforeAll(fill);

test('first runs of thread queues are found without reading the remaining queues or waiting threads', async () => {
  const query = vi.spyOn(store.database, 'query');
  const heads = await store.threads.queueHeads(100);
  expect(heads).toMatchObject([
    { runId: 'r1', threadId: 't1', activeRunId: null, interruption: null },
    { runId: 'r2', threadId: 't2', activeRunId: 'active2', interruption: { runId: 'r1501', by: 'uma' } },
  ]);
  const [text = '', values] = query.mock.lastCall ?? [];
  const { rows } = await store.database.query(`explain (analyze, format json) ${text}`, values);
  const read = rowsRead(toJson(rows));
  expect(read).toBeGreaterThan(2);
  expect(read).toBeLessThan(20);
});

test('a full thread queue accepts a run once another one has left it', async () => {
  const create = async (onBusy: 'enqueue' | 'interrupt') =>
    await store.runs.create(aNewRun({ id: 'late', tenantId: 'acme', threadId: 't2', onBusy }));
  expect([await create('enqueue'), await create('interrupt')]).toEqual(['busy', 'busy']);
  expect(await store.runs.find('late')).toBeNull();
  const canceled = aBatch([1], { view: aView({ status: 'canceled', endedAt: AT }) });
  expect(await store.threads.cancelQueued({ id: 'r2', tenantId: 'acme' }, canceled)).toBe(true);
  expect(await create('enqueue')).toBe('accepted');
});
