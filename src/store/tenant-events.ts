import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import type { RunEvent } from '../graph/journal/index.ts';
import { ifGiven, readPage } from './page.ts';
import type { Tables } from './tables.ts';
import { HOUR_MS } from '../graph/values/index.ts';

/**
 * The position of a reader of a tenant's events. `known` is a database snapshot: everything visible in it was read. A
 * transaction that began earlier and commits later is not visible in the snapshot, so the reader will find it, whatever
 * its id is. Writers never wait for each other, and no writer delays the readers.
 */
export interface FeedPosition {
  readonly known: string;
  /** The database's time of that snapshot. */
  readonly at: string;
  /** The part that the reader has read partly; without it, everything after `known` is new. */
  readonly amid?: { readonly upTo: string; readonly last: EventPosition } | undefined;
}

/** The position of an event among those between two snapshots. */
export interface EventPosition {
  /** The transaction that has written the event. */
  readonly xid: string;
  readonly runId: string;
  readonly seq: number;
}

export interface TenantEvent extends EventPosition {
  /** The name of the run's graph. */
  readonly graph: string;
  readonly event: RunEvent;
}

/** Events after a position. Those of one run are in order, except where its batches were written out of order. */
export interface EventPart {
  readonly events: readonly TenantEvent[];
  /** A position within this part consists of `known`, `at`, this snapshot, and the position of an event. */
  readonly upTo: string;
  /** The position from which the next part is read. */
  readonly position: FeedPosition;
  /** True when more events can be read at once. */
  readonly hasMore: boolean;
}

/** The events of all runs of a tenant in the order of their transactions, each once, for up to an hour. */
export interface TenantEvents {
  /** Returns the position after everything that is committed. */
  now(): Promise<FeedPosition>;
  /** Returns true for a position that is less than an hour old. */
  isKept(position: FeedPosition): Promise<boolean>;
  /** @returns `null` for a position that is more than an hour old */
  after(tenantId: string, position: FeedPosition): Promise<EventPart | null>;
  /** Deletes old positions of events; the events are kept. */
  forgetOld(): Promise<void>;
}

/** Events that were written together; the position is that of the last one. */
type JournalBatchRow = EventPosition & { readonly firstSeq: number };

const PART_BATCHES = 100;
const PART = { limit: 200, maxBytes: 262_144 };

/** @internal */
export function createTenantEvents(db: Kysely<Tables>): TenantEvents {
  return {
    now: () => readFeedPosition(db),
    isKept: async (position) => isPositionKept(position, await readFeedPosition(db)),
    after: (tenantId, position) => readEventsAfter(db, tenantId, position),
    // The time is that of the transaction's begin, and the commit may follow minutes later, so positions are kept for
    // longer than they are valid.
    forgetOld: async () =>
      void (await sql`delete from written_batches where written_at < now() - interval '75 minutes'`.execute(db)),
  };
}

async function readFeedPosition(db: Kysely<Tables>): Promise<FeedPosition> {
  const { rows } = await sql<{ known: string; at: Date }>`
    select pg_current_snapshot()::text as known, now() as at
  `.execute(db);
  const row = rows[0];
  if (!row) throw new TypeError('The database has no snapshot');
  return { known: row.known, at: row.at.toISOString() };
}

async function readEventsAfter(
  db: Kysely<Tables>,
  tenantId: string,
  position: FeedPosition,
): Promise<EventPart | null> {
  const present = await readFeedPosition(db);
  if (!isPositionKept(position, present)) return null;
  const { known, at, amid } = position;
  const upTo = amid?.upTo ?? present.known;
  const batches = await batchesAfter(db, tenantId, position, upTo);
  const { items, next } = await eventsOfBatches(db, batches, amid?.last);
  const events = items.map(({ xid, run_id: runId, seq, graph_name: graph, body: event }) => ({
    xid,
    runId,
    seq,
    graph,
    event,
  }));
  const last = next ? events.at(-1) : batches[PART_BATCHES - 1];
  if (last)
    return { events, upTo, position: { known, at, amid: { upTo, last: toEventPosition(last) } }, hasMore: true };
  return amid
    ? { events, upTo, position: { known: upTo, at }, hasMore: true }
    : { events, upTo, position: present, hasMore: false };
}

const WINDOW_MS = HOUR_MS;

function isPositionKept(position: FeedPosition, present: FeedPosition): boolean {
  return Date.parse(position.at) >= Date.parse(present.at) - WINDOW_MS;
}

/** Reads the batches after a position, in order, that are visible in the snapshot `upTo`. */
async function batchesAfter(
  db: Kysely<Tables>,
  tenantId: string,
  { known, amid }: FeedPosition,
  upTo: string,
): Promise<readonly JournalBatchRow[]> {
  const last = amid?.last;
  const beginning = last
    ? sql`(xid, run_id) >= (${last.xid}::text::xid8, ${last.runId}) and ${isAfterPosition(sql`xid, run_id, last_seq`, last)}`
    : sql`xid >= pg_snapshot_xmin(${known}::text::pg_snapshot)`;
  const { rows } = await sql<JournalBatchRow>`
    select xid::text as xid, run_id as "runId", first_seq as "firstSeq", last_seq as seq from written_batches
    where tenant_id = ${tenantId} and ${beginning}
      and not pg_visible_in_snapshot(xid, ${known}::text::pg_snapshot)
      and pg_visible_in_snapshot(xid, ${upTo}::text::pg_snapshot)
    order by written_batches.xid, run_id, first_seq
    limit ${PART_BATCHES}
  `.execute(db);
  return rows;
}

function isAfterPosition(columns: RawBuilder<unknown>, { xid, runId, seq }: EventPosition): RawBuilder<boolean> {
  return sql<boolean>`(${columns}) > (${xid}::text::xid8, ${runId}, ${seq}::integer)`;
}

/** Reads the events of some batches in order, after the given position. */
async function eventsOfBatches(
  db: Kysely<Tables>,
  batches: readonly JournalBatchRow[],
  last: EventPosition | undefined,
) {
  if (batches.length === 0) return { items: [], next: null };
  const rows = db
    .selectFrom(
      sql<{ xid: string; run_id: string; first_seq: number; last_seq: number }>`(
        select * from unnest(
          ${batches.map(({ xid }) => xid)}::text[],
          ${batches.map(({ runId }) => runId)}::text[],
          ${batches.map(({ firstSeq }) => firstSeq)}::integer[],
          ${batches.map(({ seq }) => seq)}::integer[]
        ) as rows (xid, run_id, first_seq, last_seq)
      )`.as('batch'),
    )
    .innerJoin('events', (join) =>
      join
        .onRef('events.run_id', '=', 'batch.run_id')
        .on(sql<boolean>`events.seq between batch.first_seq and batch.last_seq`),
    )
    .innerJoin('runs', 'runs.id', 'batch.run_id')
    .select(['batch.xid', 'events.run_id', 'events.seq', 'events.body', 'runs.graph_name'])
    .where(ifGiven(last, (position) => isAfterPosition(sql`batch.xid::xid8, events.run_id, events.seq`, position)));
  return await readPage(db, rows, {
    ...PART,
    order: sql`xid::xid8, run_id, seq`,
    payloads: ['body'],
    positionOf: ({ xid, run_id }) => ({ at: xid, id: run_id }),
  });
}

function toEventPosition({ xid, runId, seq }: EventPosition): EventPosition {
  return { xid, runId, seq };
}
