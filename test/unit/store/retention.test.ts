import { expect, test } from 'vitest';
import { NOTHING_PRUNED, addPruned } from '../../../src/store/retention.ts';
import type { Pruned, Retention } from '../../../src/store/retention.ts';
import { fromWorkflowId, toWorkflowId } from '../../../src/workflows/contract.ts';
import {
  AT,
  LATER,
  aBatch,
  aCheckpoint,
  aNewRun,
  anOccurrence,
  aView,
  endRun,
  writeTo,
} from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

/* Only data older than its retention is deleted. Every run here ended at AT, or has not ended. */

const BATCH = 100;
const NOTHING = NOTHING_PRUNED;
const older = (over: Partial<Retention>): Retention => ({
  runsBefore: null,
  checkpointsBefore: null,
  toWorkflowId,
  fromWorkflowId,
  ...over,
});

const store = await useMemoryStore();

/** Sums the counts of all batches, or of the first ones. */
async function prune(retention: Retention, batch: number, { most = Infinity } = {}): Promise<Pruned> {
  let total = NOTHING;
  let batches = 0;
  for await (const pruned of store.retention.prune(retention, batch)) {
    total = addPruned(total, pruned);
    batches += 1;
    if (batches === most) break;
  }
  return total;
}

/** An ended run with three checkpoints, a call and a blob. */
async function anEndedRun(id: string, threadId: string | null = null): Promise<void> {
  await store.runs.create(aNewRun({ id, threadId }));
  const checkpoints = [1, 2, 3].map((n) => aCheckpoint(id, n));
  await writeTo(store, { id }, aBatch([1, 2, 3], { checkpoints, occurrences: [anOccurrence(1)] }));
  const call = { key: `${id}:a`, tenantId: 'acme', runId: id, node: 'a', called: 'tool:a', requestHash: 'h' };
  await store.ledger.claim({ ...call, takeover: 0, claim: 'c', scheduledAt: 1, at: AT, journal: null }, () => ({
    isGranted: true,
    failures: 0,
  }));
  const blob = { id: `${id}-blob`, workflowId: `run:acme:${id}`, metadata: {}, data: new Uint8Array([1]) };
  await store.blobs.put([blob]);
  await endRun(store, { id }, 4);
}

test('retention counts an old ended run, then deletes it with all its rows', async () => {
  await anEndedRun('R-old');
  const retention = older({ runsBefore: LATER });
  const whole = { ...NOTHING, runs: 1, events: 4, checkpoints: 3, ledger: 1, blobs: 1 };
  expect(await store.retention.count(retention)).toEqual(whole);
  expect(await store.runs.find('R-old')).not.toBeNull();
  expect(await store.journal.occurrences('R-old')).toHaveLength(1);
  expect(await prune(retention, BATCH)).toEqual(whole);
  expect(await store.runs.find('R-old')).toBeNull();
  expect(await store.journal.events('R-old', 0, 9)).toEqual([]);
  expect(await store.journal.occurrences('R-old')).toEqual([]);
  expect(await store.checkpoints.at('R-old', null)).toBeNull();
  await expect(store.blobs.get(['R-old-blob'])).rejects.toThrow(RangeError);
  expect(await prune(retention, BATCH)).toEqual(NOTHING);
});

/** What a schedule and what people have done is remembered longer than the runs of it. */
const OUTLIVE_RUNS: ReadonlySet<string> = new Set(['audit', 'schedule_fires']);

test('no table with a column `run_id` keeps a row of a deleted run', async () => {
  await anEndedRun('R-gone');
  const tables = await tablesOfRuns();
  expect(tables.map(({ name }) => name)).toContain('snapshots');
  for (const { name, row } of tables)
    await store.database.query(`insert into ${name} select * from json_populate_record(null::${name}, $1)`, [row]);
  await prune(older({ runsBefore: LATER }), BATCH);
  for (const { name } of tables) {
    const { rows } = await store.database.query(`select * from ${name} where run_id = 'R-gone'`);
    expect({ name, count: rows.length }).toEqual({ name, count: OUTLIVE_RUNS.has(name) ? 1 : 0 });
  }
});

/** Returns the tables with a column `run_id`, and a row for each. */
async function tablesOfRuns(): Promise<readonly { readonly name: string; readonly row: string }[]> {
  const { rows } = await store.database.query<{ name: string; row: string }>(`
    select table_name as name, json_object_agg(column_name, case data_type
      when 'text' then '"R-gone"' when 'json' then '{}' when 'ARRAY' then '[]' when 'boolean' then 'false'
      when 'timestamp with time zone' then '"${AT}"' else '777' end::json)::text as row
    from information_schema.columns where table_schema = 'public'
    group by table_name having bool_or(column_name = 'run_id')`);
  return rows;
}

test('blobs without a run are counted by retention, then deleted at the age of an old run', async () => {
  await store.runs.create(aNewRun({ id: 'R-owner' }));
  const data = new Uint8Array([1]);
  const blobs = ['R-owner', 'R-nobody'].map((run) => ({
    id: `${run}/1`,
    workflowId: `run:acme:${run}`,
    metadata: {},
    data,
  }));
  await store.blobs.put(blobs);
  const young = older({ runsBefore: AT });
  const old = older({ runsBefore: '2999-01-01T00:00:00Z' });
  expect(await store.retention.count(young)).toEqual(NOTHING);
  expect(await prune(young, BATCH)).toEqual(NOTHING);
  expect(await store.retention.count(old)).toEqual({ ...NOTHING, blobs: 1 });
  expect(await prune(old, BATCH)).toEqual({ ...NOTHING, blobs: 1 });
  expect(await store.blobs.get(['R-owner/1'])).toHaveLength(1);
  await expect(store.blobs.get(['R-nobody/1'])).rejects.toThrow(RangeError);
});

test('retention keeps runs that have not ended or ended recently', async () => {
  await store.runs.create(aNewRun({ id: 'R-runs' }));
  await writeTo(store, { id: 'R-runs' }, aBatch([1], { view: aView() }));
  await anEndedRun('R-young');
  expect(await prune(older({ runsBefore: AT }), BATCH)).toEqual(NOTHING);
  expect(await store.runs.find('R-runs')).not.toBeNull();
  expect(await store.runs.find('R-young')).not.toBeNull();
  await prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.runs.find('R-runs')).not.toBeNull();
  expect(await store.runs.find('R-young')).toBeNull();
});

test('retention keeps the last state of an older run, from which it can be read and reopened', async () => {
  await anEndedRun('R-states');
  const retention = older({ checkpointsBefore: LATER });
  expect(await store.retention.count(retention)).toEqual({ ...NOTHING, checkpoints: 2 });
  const before = await store.checkpoints.at('R-states', null);
  expect(await prune(retention, BATCH)).toEqual({ ...NOTHING, checkpoints: 2 });
  expect(await store.checkpoints.at('R-states', null)).toEqual(before);
  expect(await store.checkpoints.at('R-states', 'R-states.c1')).toBeNull();
  expect(await store.endedRuns.find('R-states')).not.toBeNull();
  expect(await prune(retention, BATCH)).toEqual(NOTHING);
  await prune(older({ runsBefore: LATER }), BATCH);
});

test('retention keeps for a run with compensated calls also the state from which other runs may start', async () => {
  const id = 'R-undone';
  await store.runs.create(aNewRun({ id }));
  const checkpoints = [1, 2, 3, 4].map((n) => aCheckpoint(id, n));
  const view = aView({ status: 'failed', endedAt: AT, undone: { since: 1, nodes: ['pay'] } });
  await writeTo(store, { id }, aBatch([1, 2, 3, 4], { checkpoints, view }));
  const retention = older({ checkpointsBefore: LATER });
  const states = async () =>
    await Promise.all([1, 2, 3, 4].map(async (n) => await store.checkpoints.at(id, `${id}.c${n}`)));
  const [, sound, , last] = await states();
  expect(await store.retention.count(retention)).toEqual({ ...NOTHING, checkpoints: 2 });
  expect(await prune(retention, BATCH)).toEqual({ ...NOTHING, checkpoints: 2 });
  expect(await states()).toEqual([null, sound, null, last]);
  expect(await store.checkpoints.lastBefore(id, 1)).toMatchObject({ id: `${id}.c2` });
  expect([await store.retention.count(retention), await prune(retention, BATCH)]).toEqual([NOTHING, NOTHING]);
  await prune(older({ runsBefore: LATER }), BATCH);
});

test('retention deletes a thread with its last run', async () => {
  await anEndedRun('R-talk', 'talk');
  await prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.threads.find('acme', 'talk')).toBeNull();
});

test('retention keeps an ended run until its successor has begun', async () => {
  await anEndedRun('R-first', 'chain');
  await store.runs.create(aNewRun({ id: 'R-second', threadId: 'chain' }));
  await prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.runs.find('R-first')).not.toBeNull();
});

test('retention deletes unpublished definitions with their last run', async () => {
  const graph = { name: 'once', version: null, hash: 'h2' };
  await store.runs.create(aNewRun({ id: 'R-once', graph, definition: { name: 'once' } }));
  expect(await store.graphs.definition('h2')).toEqual({ name: 'once' });
  await endRun(store, { id: 'R-once' });
  await prune(older({ runsBefore: LATER }), BATCH);
  expect(await store.graphs.definition('h2')).toBeNull();
});

test('a later pruning continues where the limit of batches stopped the first', async () => {
  for (const id of ['R-1', 'R-2', 'R-3']) await anEndedRun(id);
  const retention = older({ runsBefore: LATER });
  expect((await prune(retention, 1, { most: 2 })).runs).toBe(2);
  const left = await Promise.all(['R-1', 'R-2', 'R-3'].map(async (id) => (await store.runs.find(id))?.id));
  expect(left).toEqual([undefined, undefined, 'R-3']);
  expect((await prune(retention, 1)).runs).toBe(1);
});

test('a run whose checkpoints can not be pruned does not prevent the pruning of others', async () => {
  await store.runs.create(aNewRun({ id: 'R-broken' }));
  const checkpoints = [2, 3].map((n) => aCheckpoint('R-broken', n));
  await writeTo(store, { id: 'R-broken' }, aBatch([1, 2, 3], { checkpoints }));
  await endRun(store, { id: 'R-broken' }, 4);
  await anEndedRun('R-thinned');
  expect(await prune(older({ checkpointsBefore: LATER }), 1)).toEqual({ ...NOTHING, checkpoints: 2 });
  await prune(older({ runsBefore: LATER }), BATCH);
});
