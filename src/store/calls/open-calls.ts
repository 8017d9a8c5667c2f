import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { readPage } from '../page.ts';
import type { Tables } from '../tables.ts';
import { ENDS, isBegin } from './call-events.ts';
import type { BeginOfCall } from './call-events.ts';

/** The calls that are read at most; those of one run are hardly ever as many. */
const MAX_OPEN = 100;

/** Those of tools and code; a compensation's end is not told by its key. */
const TOLD_AT_ONCE = ['tool.requested', 'function.requested'] as const;

/** The time of an event, which stands at its begin; PostgreSQL can't parse all that may follow. */
const BEGAN_AT = sql<Date>`substring(left(events.body::text, 100) from '"at":"([^"]+)"')::timestamptz`;

/** Reads the first calls after an event whose end neither the history nor the ledger has. */
export async function listOpenCalls(db: Kysely<Tables>, runId: string, after: number): Promise<readonly BeginOfCall[]> {
  const hasEnd = sql<boolean>`exists (
    select from events ends
    where ends.run_id = events.run_id and ends.call_key = events.call_key and ends.seq > events.seq
      and ends.type = any(${[...ENDS]}::text[])
  )`;
  // A failure from before the event is that of the same call before a person ordered it again.
  const hasEndInLedger = sql<boolean>`exists (
    select from ledger where ledger.key = events.call_key
      and (ledger.status = 'completed' or (ledger.status = 'failed' and ledger.updated_at >= ${BEGAN_AT}))
  )`;
  const rows = db
    .selectFrom('events')
    .select(['seq', 'body'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .where('type', 'in', TOLD_AT_ONCE)
    .where(sql<boolean>`not ${hasEnd} and not ${hasEndInLedger}`);
  const page = await readPage(db, rows, {
    limit: MAX_OPEN,
    order: sql`seq`,
    payloads: ['body'],
    positionOf: ({ body: { at, seq } }) => ({ at, id: String(seq) }),
  });
  return page.items.map(({ body }) => body).filter(isBegin);
}
