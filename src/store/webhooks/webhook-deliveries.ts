import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { isBefore, isEqual, mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { NOW_AS_LISTED } from './tell-webhooks.ts';
import type { DeliveryAttempt, WebhookDeliveriesTable } from '../platform-tables.ts';

/** An event on its way to one webhook, and what became of it. */
export interface WebhookDelivery {
  readonly id: string;
  readonly type: WebhookDeliveriesTable['type'];
  /** `null`: the event is of no run. */
  readonly runId: string | null;
  readonly status: WebhookDeliveriesTable['status'];
  readonly attempts: readonly DeliveryAttempt[];
  /** `null`: there is none to come. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

/** A ping with the message that it sends. */
interface Ping {
  /** The id of the event. */
  readonly id: string;
  readonly tenantId: string;
  readonly webhookId: string;
  readonly body: string;
}

/** The log of what webhooks were told. The caller knows that the webhook is the tenant's. */
export interface WebhookDeliveries {
  /** The newest first. */
  list(
    webhookId: string,
    filter: { readonly status?: WebhookDelivery['status'] | undefined },
    page: PageRequest,
  ): Promise<Page<WebhookDelivery>>;
  /** Sends a message that no run has caused; the same id again changes nothing. */
  ping(ping: Ping): Promise<WebhookDelivery>;
  /** Sends a message again, now and with all its attempts anew. */
  replay(webhookId: string, id: string): Promise<WebhookDelivery | null>;
}

export function createWebhookDeliveries(db: Kysely<Tables>): WebhookDeliveries {
  return {
    list: (webhookId, filter, page) => list(db, { webhookId, ...filter }, page),
    ping: (ping) => insertPing(db, ping),
    replay: (webhookId, id) => replay(db, webhookId, id),
  };
}

function rows(db: Kysely<Tables>) {
  return db
    .selectFrom('webhook_deliveries')
    .select(['id', 'type', 'status', 'attempts', 'due_at', 'created_at'])
    .select(sql<string | null>`(select run_id from webhook_events where id = event_id)`.as('run_id'));
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>;

async function list(
  db: Kysely<Tables>,
  { webhookId, status }: { readonly webhookId: string; readonly status?: WebhookDelivery['status'] | undefined },
  { limit, after }: PageRequest,
): Promise<Page<WebhookDelivery>> {
  const listed = rows(db)
    .where('webhook_id', '=', webhookId)
    .where(isEqual('status', status))
    .where(isBefore('created_at', after));
  const page = await readPage(db, listed, {
    limit,
    order: sql`created_at desc, id desc`,
    payloads: ['attempts'],
    positionOf: ({ created_at, id }) => ({ at: created_at.toISOString(), id }),
  });
  return mapPage(page, toDelivery);
}

async function insertPing(db: Kysely<Tables>, { id, tenantId, webhookId, body }: Ping): Promise<WebhookDelivery> {
  await sql`
    with event as (
      insert into webhook_events (id, tenant_id, type, at, body)
      values (${`evt_${id}`}, ${tenantId}, 'webhook.ping', now(), ${body})
      on conflict (id) do nothing
      returning id
    )
    insert into webhook_deliveries (id, webhook_id, event_id, type, status, due_at, failures, attempts, created_at)
    select ${`msg_${id}`}, ${webhookId}, id, 'webhook.ping', 'pending', now(), 0, '[]', ${NOW_AS_LISTED} from event
  `.execute(db);
  return toDelivery(await rows(db).where('id', '=', `msg_${id}`).executeTakeFirstOrThrow());
}

/** A message that is being sent at this moment is left alone. */
async function replay(db: Kysely<Tables>, webhookId: string, id: string): Promise<WebhookDelivery | null> {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', due_at: sql<string>`now()`, failures: 0 })
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .where(sql<boolean>`(claim is null or due_at <= now())`)
    .execute();
  const row = await rows(db).where('id', '=', id).where('webhook_id', '=', webhookId).executeTakeFirst();
  return row ? toDelivery(row) : null;
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    type: row.type,
    runId: row.run_id,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.due_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}
