import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Deletes what webhooks were, or are to be, told of some runs. */
export async function forgetWebhookEvents(db: Kysely<Tables>, runIds: readonly string[]): Promise<void> {
  await sql`
    with gone as (delete from webhook_events where run_id = any(${runIds}::text[]) returning id)
    delete from webhook_deliveries using gone where event_id = gone.id
  `.execute(db);
}

/** The age from which nothing is known of a delivery any more. */
const KEEP_DAYS = 30;
const BATCH = 2_000;

/** Deletes old events with their deliveries, the oldest first. */
export async function forgetOldWebhookEvents(db: Kysely<Tables>): Promise<void> {
  for (let gone = BATCH; gone === BATCH;) {
    const { rows } = await sql<{ gone: number }>`
      with old as (
        select id from webhook_events where at < now() - make_interval(days => ${KEEP_DAYS}::integer)
        order by at limit ${BATCH}
      ),
      gone as (delete from webhook_events using old where webhook_events.id = old.id returning webhook_events.id),
      undelivered as (delete from webhook_deliveries using gone where event_id = gone.id)
      select count(*)::integer as gone from gone
    `.execute(db);
    gone = rows[0]?.gone ?? 0;
  }
}
