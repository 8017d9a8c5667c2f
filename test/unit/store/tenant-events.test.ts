import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { createJournal } from '../../../src/store/journal.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { FeedPosition, TenantEvent } from '../../../src/store/tenant-events.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { createRandom } from '../../support/builders/random.ts';
import { aBatch, aNewRun, writeTo } from '../../support/builders/store-builders.ts';
import { startPostgres } from '../../support/servers/postgres-server.ts';
import type { PostgresServer } from '../../support/servers/postgres-server.ts';

let server: PostgresServer;
let store: Store;
let db: Kysely<Tables>;
beforeAll(async () => {
  server = await startPostgres();
  store = await openPostgresStore(server.url);
  db = new Kysely({ dialect: createPostgresDialect(server.url, { maxConnections: 4 }) });
  for (const id of ['A', 'B', 'C']) await store.runs.create(aNewRun({ id }));
  await store.runs.create(aNewRun({ id: 'X', tenantId: 'other' }));
});
afterAll(async () => {
  await Promise.all([store.close(), db.destroy()]);
  await server.stop();
});

const nameOf = ({ runId, seq }: TenantEvent): string => `${runId}${seq}`;

/** Reads everything after a position. */
async function readFrom(from: FeedPosition): Promise<{ names: string[]; place: FeedPosition }> {
  const names: string[] = [];
  for (let place = from; ;) {
    const part = await store.tenantEvents.after('acme', place);
    if (!part) throw new Error('The place is too old');
    names.push(...part.events.map(nameOf));
    place = part.position;
    if (!part.hasMore) return { names, place };
  }
}

test('events that are committed late are neither skipped nor repeated in the tenant’s stream', async () => {
  const from = await store.tenantEvents.now();
  let commit = (): void => undefined;
  const isTime = new Promise<void>((resolve) => (commit = resolve));
  let hasWritten = (): void => undefined;
  const written = new Promise<void>((resolve) => (hasWritten = resolve));
  const late = db.transaction().execute(async (transaction) => {
    await createJournal(transaction).write(aBatch([1]), { runId: 'A', tenantId: 'acme', executionRunId: 'e' });
    hasWritten();
    await isTime;
  });
  await written;
  await writeTo(store, { id: 'B' }, aBatch([1, 2]));
  const before = await readFrom(from);
  expect(before.names).toEqual(['B1', 'B2']);
  commit();
  await late;
  await writeTo(store, { id: 'B' }, aBatch([2, 3]));
  await writeTo(store, { id: 'B' }, aBatch([3]));
  expect((await readFrom(before.place)).names).toEqual(['A1', 'B3']);
});

test('a stream reader that resumes after any event reads each event of its tenant once, in one order', async () => {
  const random = createRandom(5);
  const from = await store.tenantEvents.now();
  const last = { A: 1, B: 3, C: 0 };
  for (let n = 0; n < 150; n += 1) {
    const id = random.pick(['A', 'B', 'C'] as const);
    const seqs = Array.from({ length: 1 + Math.floor(random.next() * 4) }, () => (last[id] += 1));
    await writeTo(store, { id }, aBatch(seqs));
    await writeTo(store, { id: 'X', tenantId: 'other' }, aBatch([n + 1]));
  }
  const { names } = await readFrom(from);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(last.A + last.B + last.C - 4);
  let place = from;
  const came: string[] = [];
  for (let part = await store.tenantEvents.after('acme', place); part?.events.length;) {
    const upTo = 1 + Math.floor(random.next() * part.events.length);
    const seen = part.events.slice(0, upTo);
    came.push(...seen.map(nameOf));
    const [lastSeen] = seen.slice(-1);
    if (!lastSeen) throw new Error('A part has no events');
    const { xid, runId, seq } = lastSeen;
    place = { known: place.known, at: place.at, amid: { upTo: part.upTo, last: { xid, runId, seq } } };
    part = await store.tenantEvents.after('acme', place);
  }
  expect(came).toEqual(names);
});

describe('event batches that are written out of order', () => {
  test.each<readonly (readonly number[])[]>([
    [
      [6, 7, 8],
      [1, 2, 3, 4, 5, 9, 10],
    ],
    [[2], [4], [6], [1, 2, 3, 4, 5, 6, 7]],
    [
      [1, 2],
      [3, 4, 5],
      [1, 2, 3, 4, 5],
      [5, 6],
    ],
    [[10], [1, 2, 9, 10, 11]],
  ])('each event is read once when the batch %j and then the batch %j are written out of order', async (...batches) => {
    const from = await store.tenantEvents.now();
    const id = `H${batches.length}-${batches[0]?.[0]}`;
    await store.runs.create(aNewRun({ id }));
    const read: string[] = [];
    let { place } = await readFrom(from);
    for (const seqs of batches) {
      await writeTo(store, { id }, aBatch(seqs));
      const part = await readFrom(place);
      read.push(...part.names);
      ({ place } = part);
    }
    const names = [...new Set(batches.flat())].map((seq) => `${id}${seq}`);
    expect(read.toSorted()).toEqual(names.toSorted());
    expect((await readFrom(from)).names.toSorted()).toEqual(names.toSorted());
  });
});

test('a position in the tenant’s event stream is valid for an hour', async () => {
  const place = await store.tenantEvents.now();
  const earlier = (ms: number): FeedPosition => ({ ...place, at: new Date(Date.parse(place.at) - ms).toISOString() });
  expect(await store.tenantEvents.isKept(earlier(3_590_000))).toBe(true);
  expect(await store.tenantEvents.isKept(earlier(3_601_000))).toBe(false);
  expect(await store.tenantEvents.after('acme', earlier(3_601_000))).toBeNull();
});

test('records of written event batches are deleted after a while, and events are kept', async () => {
  const from = await store.tenantEvents.now();
  await writeTo(store, { id: 'C' }, aBatch([901]));
  await store.tenantEvents.forgetOld();
  expect((await readFrom(from)).names).toEqual(['C901']);
  await sql`update written_batches set written_at = now() - interval '76 minutes'`.execute(db);
  await store.tenantEvents.forgetOld();
  expect((await readFrom(from)).names).toEqual([]);
});
