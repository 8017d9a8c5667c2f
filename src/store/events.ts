import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import type { EventOf, RunEvent } from '../graph/journal/index.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest, Position } from './page.ts';
import type { EventsTable, Tables } from './tables.ts';

/** The range of events after one `seq`, up to another. */
export interface EventRange {
  readonly after: number;
  readonly upTo?: number;
}

/** Reads a page of a run's history, up to the first gap. @internal */
export async function listEvents(
  db: Kysely<Tables>,
  runId: string,
  { limit, maxBytes, after: position }: PageRequest,
): Promise<Page<RunEvent>> {
  const after = Number(position?.id ?? 0);
  const rows = db
    .selectFrom('events')
    .select(['seq', 'body', sql<boolean>`coalesce(lead(seq) over (order by seq) > seq + 1, false)`.as('is_before_gap')])
    .where('run_id', '=', runId)
    .where('seq', '>', after);
  const { items, next } = await readPage(db, rows, { ...IN_ORDER, limit, maxBytes });
  if (items[0] && items[0].seq !== after + 1) return { items: [], next: null };
  const gap = items.findIndex((row) => row.is_before_gap);
  return mapPage(gap < 0 ? { items, next } : { items: items.slice(0, gap + 1), next: null }, ({ body }) => body);
}

/** Reads events of some types in order, page by page on demand. @internal */
export async function* eventsOfTypes<Type extends RunEvent['type']>(
  db: Kysely<Tables>,
  runId: string,
  types: readonly Type[],
  { after, upTo = LAST_SEQ }: EventRange,
): AsyncIterable<EventOf<Type>> {
  const isRequested = (event: RunEvent): event is EventOf<Type> => types.some((type) => type === event.type);
  const rows = db.selectFrom('events').select(['seq', 'body']).where('run_id', '=', runId).where('type', 'in', types);
  const pageAfter = async (seq: number) =>
    await readPage(db, rows.where('seq', '>', seq).where('seq', '<=', upTo), { ...IN_ORDER, limit: EVENTS_PAGE });
  for (let page = await pageAfter(after); ; page = await pageAfter(Number(page.next.id))) {
    for (const { body } of page.items) if (isRequested(body)) yield body;
    if (!page.next) return;
  }
}

/** Finds the last event of a type, or `null`. @internal */
export async function lastOfType<Type extends RunEvent['type']>(
  db: Kysely<Tables>,
  runId: string,
  type: Type,
): Promise<EventOf<Type> | null> {
  const isRequested = (event: RunEvent): event is EventOf<Type> => event.type === type;
  const row = await db
    .selectFrom('events')
    .select('body')
    .where('run_id', '=', runId)
    .where('type', '=', type)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && isRequested(row.body) ? row.body : null;
}

/**
 * Returns the size in bytes of a run's events, occurrences and answers, which a replay holds in memory.
 * @internal
 */
export async function recordedBytes(db: Kysely<Tables>, runId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (
      coalesce((select sum(octet_length(body::text)) from events where run_id = ${runId}), 0)
      + coalesce((select sum(octet_length(body::text)) from occurrences where run_id = ${runId}), 0)
      + coalesce((select sum(coalesce(octet_length(result::text), 0) + coalesce(octet_length(failure::text), 0))
          from ledger where run_id = ${runId}), 0)
    )::float8 as bytes
  `.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** The size of a page that is read on demand. It is small, because the database reads a whole page to measure it. */
export const EVENTS_PAGE = 50;
/** The greatest number that an event can have. */
export const LAST_SEQ = 2_147_483_647;

/** The order of events in a list. @internal */
export const IN_ORDER = {
  order: sql`seq`,
  payloads: ['body'],
  positionOf: ({ seq, body }: Pick<Selectable<EventsTable>, 'seq' | 'body'>) => toEventPosition(seq, body.at),
} as const;

/** Returns the position of an event in the history, which its number alone determines. */
export function toEventPosition(seq: number, at = ''): Position {
  return { at, id: String(seq) };
}
