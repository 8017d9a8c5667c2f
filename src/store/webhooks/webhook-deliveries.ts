import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { NEWEST_FIRST, isBeforePosition, isEqual, mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { NOW_AS_LISTED } from './webhook-events.ts';
import type { DeliveryAttempt, DeliveryStatus, DeliveryType } from '../column-values.ts';

/** The delivery of an event to one webhook, and its result. */
export interface WebhookDelivery {
  readonly id: string;
  readonly type: DeliveryType;
  /** `null` when the event belongs to no run. */
  readonly runId: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: readonly DeliveryAttempt[];
  /** `null` when no attempt will follow. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

/** A ping with the message that it sends. */
interface PingDelivery {
  /** The id of the event. */
  readonly id: string;
  readonly tenantId: string;
  readonly webhookId: string;
  readonly body: string;
}

/** The delivery log of webhooks. The caller must have checked that the webhook belongs to the tenant. */
export interface WebhookDeliveries {
  /** Lists deliveries, newest first. */
  list(
    webhookId: string,
    status: WebhookDelivery['status'] | undefined,
    page: PageRequest,
  ): Promise<Page<WebhookDelivery>>;
  /** Sends a message that no run has caused. The same id again has no effect. */
  ping(ping: PingDelivery): Promise<WebhookDelivery>;
  /** Sends a message again at once, with all its attempts. A message with an attempt in progress is not changed. */
  replay(webhookId: string, id: string): Promise<WebhookDelivery | null>;
}

/** @internal */
export function createWebhookDeliveries(db: Kysely<Tables>): WebhookDeliveries {
  return {
    async list(webhookId, status, { limit, after }) {
      const listed = selectDeliveries(db)
        .where('webhook_id', '=', webhookId)
        .where(isEqual('status', status))
        .where(isBeforePosition('created_at', after));
      return mapPage(await readPage(db, listed, { ...NEWEST_FIRST, limit, payloads: ['attempts'] }), toDelivery);
    },
    ping: (ping) => insertPing(db, ping),
    async replay(webhookId, id) {
      await db
        .updateTable('webhook_deliveries')
        .set({ status: 'pending', due_at: sql<string>`now()`, failures: 0 })
        .where('id', '=', id)
        .where('webhook_id', '=', webhookId)
        .where(HAS_NO_ATTEMPT_IN_PROGRESS)
        .execute();
      const row = await selectDeliveries(db)
        .where('id', '=', id)
        .where('webhook_id', '=', webhookId)
        .executeTakeFirst();
      return row ? toDelivery(row) : null;
    },
  };
}

function selectDeliveries(db: Kysely<Tables>) {
  return db
    .selectFrom('webhook_deliveries')
    .select(['id', 'type', 'status', 'attempts', 'due_at', 'created_at'])
    .select(sql<string | null>`(select run_id from webhook_events where id = event_id)`.as('run_id'));
}

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>;

async function insertPing(
  db: Kysely<Tables>,
  { id, tenantId, webhookId, body }: PingDelivery,
): Promise<WebhookDelivery> {
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
  return toDelivery(await selectDeliveries(db).where('id', '=', `msg_${id}`).executeTakeFirstOrThrow());
}

const HAS_NO_ATTEMPT_IN_PROGRESS = sql<boolean>`(claim is null or due_at <= now())`;

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
