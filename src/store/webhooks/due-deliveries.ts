import { sql } from 'kysely';
import type { Kysely, RawBuilder, Selectable } from 'kysely';
import type { Intervention, RunView } from '../../graph/journal/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Tables } from '../tables.ts';
import type { DeliveryAttempt, DeliveryType, WebhookFormat } from '../column-values.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../platform-tables.ts';

/** A delivery that only this process attempts until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly claim: string;
  readonly eventId: string;
  readonly webhook: {
    readonly id: string;
    readonly tenantId: string;
    readonly url: string;
    readonly format: WebhookFormat;
    readonly linkBase: string | null;
  };
  /** The number of failed attempts so far. */
  readonly failures: number;
  readonly attempts: readonly DeliveryAttempt[];
}

/** The parameters of a claim. */
export interface ClaimRequest {
  /** A unique id of this claim. */
  readonly claim: string;
  /** Webhooks are claimed in the order of their ids, starting after this one. */
  readonly after: string;
  readonly webhooks: number;
  /** The most webhooks of a tenant, including busy ones. */
  readonly webhooksOfTenant: number;
  /** The most deliveries of a webhook; after a failure, one. */
  readonly deliveriesOfWebhook: number;
  readonly leaseMs: number;
  /** The webhooks to which the process is sending, and their number by tenant. */
  readonly busy: { readonly webhooks: readonly string[]; readonly ofTenants: ReadonlyMap<string, number> };
}

/** The fields of an event from which its body is built. */
export interface StoredWebhookEvent {
  readonly type: DeliveryType;
  /** The data from which the body is built; `null` once it is built, or if it is built from other rows. */
  readonly subject: RunView | Approval | Intervention | null;
  /** The bytes that are signed and sent; `null` until they are built. */
  readonly body: string | null;
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** `null` when the event belongs to no run; then it has its body. */
  readonly runId: string | null;
  /** The id of its approval or intervention. */
  readonly subjectId: string | null;
}

/** The result of an attempt: delivered, to be retried after a pause, or given up. */
export type DeliveryResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed' }
  /** There was nothing to send, because the subject was deleted. This does not count as a failure of the receiver. */
  | { readonly kind: 'lost' }
  /** The receiver has answered 410, so the webhook is disabled. */
  | { readonly kind: 'gone' };

/** Deliveries that are due. Each is claimed by one API process at a time; times are those of the database. */
export interface DueDeliveries {
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /** @returns `null` when the run was deleted, and its events with it */
  eventOf(id: string): Promise<StoredWebhookEvent | null>;
  /** Stores the body of an event unless it has one. @returns the stored body */
  keepBody(eventId: string, body: string): Promise<string | null>;
  /** Records an attempt. It has no effect when another process has taken over the delivery. */
  record(delivery: ClaimedDelivery, attempt: DeliveryAttempt, result: DeliveryResult): Promise<void>;
  /** Releases claims without an attempt. */
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
  /** Deletes old events and deliveries. */
  forgetOld(): Promise<void>;
}

/** @internal */
export function createDueDeliveries(db: Kysely<Tables>): DueDeliveries {
  return {
    claim: (request) => claimDeliveries(db, request),
    async eventOf(id) {
      const row = await db.selectFrom('webhook_events').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) return null;
      const { type, at, run_id: runId, subject_id: subjectId, subject, body } = row;
      return { id, type, at: at.toISOString(), runId, subjectId, subject, body };
    },
    async keepBody(eventId, body) {
      const kept = sql<string>`coalesce(body, ${body})`;
      const row = await db
        .updateTable('webhook_events')
        .set({ body: kept, subject: null })
        .where('id', '=', eventId)
        .returning('body')
        .executeTakeFirst();
      return row?.body ?? null;
    },
    record: (delivery, attempt, result) => recordAttempt(db, delivery, attempt, result),
    async release(deliveries) {
      await db
        .updateTable('webhook_deliveries')
        .set({ due_at: sql<string>`now()`, claim: null })
        .where('id', 'in', ['', ...deliveries.map(({ id }) => id)])
        .where('claim', 'in', ['', ...deliveries.map((one) => one.claim)])
        .execute();
    },
    forgetOld: () => forgetOldWebhookEvents(db),
  };
}

/** The most webhooks that one claim examines; the next claim continues after the last claimed one. */
const MAX_CANDIDATES = 500;

/**
 * Reads one index entry for each webhook with a delivery, and no others. If a tenant has more webhooks than may be
 * claimed, a random selection keeps any of them from waiting for ever.
 */
async function claimDeliveries(db: Kysely<Tables>, request: ClaimRequest): Promise<readonly ClaimedDelivery[]> {
  const { busy, leaseMs, webhooks, webhooksOfTenant, deliveriesOfWebhook } = request;
  const { rows } = await sql<ClaimedRow>`
    with recursive waiting (webhook_id) as (
      (${nextWebhook(sql`${request.after}`)})
      union all
      select (${nextWebhook(sql`waiting.webhook_id`)}) from waiting where waiting.webhook_id is not null
    ),
    busy (tenant_id, webhooks) as (
      select * from unnest(${[...busy.ofTenants.keys()]}::text[], ${[...busy.ofTenants.values()]}::integer[])
    ),
    candidates as (
      select webhooks.id, webhooks.tenant_id, webhooks.failing_since, ${webhooksOfTenant} - coalesce(busy.webhooks, 0) as free
      from waiting join webhooks on webhooks.id = waiting.webhook_id left join busy using (tenant_id)
      where webhooks.disabled_at is null
        and webhooks.id <> all(${busy.webhooks}::text[]) and coalesce(busy.webhooks, 0) < ${webhooksOfTenant}
        and exists (select from webhook_deliveries where webhook_id = waiting.webhook_id and due_at <= now())
      limit ${MAX_CANDIDATES}
    ),
    chosen as (
      select id, failing_since from (
        select *, row_number() over (partition by tenant_id order by random()) as rank from candidates
      ) as ranked
      where rank <= free order by id limit ${webhooks}
    ),
    due as (
      select due.id from chosen cross join lateral (
        select id from webhook_deliveries where webhook_id = chosen.id and due_at <= now()
        order by due_at limit case when chosen.failing_since is null then ${deliveriesOfWebhook}::integer else 1 end
        for update skip locked
      ) as due
    ),
    claimed as (
      update webhook_deliveries set due_at = now() + make_interval(secs => ${leaseMs / 1_000}), claim = ${request.claim}
      where id in (select id from due)
      returning *
    )
    select claimed.id, claimed.event_id, claimed.failures, claimed.attempts, webhooks.id as webhook_id,
      webhooks.tenant_id, webhooks.url, webhooks.format, webhooks.link_base
    from claimed join webhooks on webhooks.id = claimed.webhook_id
    order by webhooks.id, claimed.created_at, claimed.id
  `.execute(db);
  return rows.map((row) => toClaimedDelivery(row, request.claim));
}

function toClaimedDelivery(row: ClaimedRow, claimId: string): ClaimedDelivery {
  const { id, event_id: eventId, failures, attempts, webhook_id, tenant_id: tenantId, url, format, link_base } = row;
  const webhook = { id: webhook_id, tenantId, url, format, linkBase: link_base };
  return { id, claim: claimId, eventId, webhook, failures, attempts };
}

function nextWebhook(after: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select webhook_id from webhook_deliveries where due_at is not null and webhook_id > ${after}
    order by webhook_id limit 1
  `;
}

type ClaimedRow = Pick<Selectable<WebhookDeliveriesTable>, 'id' | 'webhook_id' | 'event_id' | 'failures' | 'attempts'> &
  Pick<Selectable<WebhooksTable>, 'tenant_id' | 'url' | 'format' | 'link_base'>;

/** The most attempts that are kept; replays make more attempts than the retry schedule has. */
const KEPT_ATTEMPTS = 30;
/** A webhook whose deliveries have all failed for this long is disabled. */
const DISABLE_AFTER_DAYS = 5;

/** When this disables the webhook, its remaining deliveries fail. */
async function recordAttempt(
  db: Kysely<Tables>,
  delivery: ClaimedDelivery,
  attempt: DeliveryAttempt,
  result: DeliveryResult,
): Promise<void> {
  const { id, claim: claimId, webhook, failures, attempts } = delivery;
  const kept = JSON.stringify([...attempts, attempt].slice(-KEPT_ATTEMPTS));
  const { rows } = await sql<{ disabled: boolean }>`
    with recorded as (
      update webhook_deliveries set claim = null, status = ${STATUS_AFTER[result.kind]}, due_at = ${dueAfterResult(result)},
        attempts = ${kept}, failures = ${result.kind === 'delivered' ? failures : failures + 1}
      where id = ${id} and claim = ${claimId}
      returning webhook_id
    )
    update webhooks set ${webhookHealthAfter(result)} from recorded
    where webhooks.id = recorded.webhook_id and ${isAboutReceiver(result)}
    returning disabled_at is not null as disabled
  `.execute(db);
  if (rows[0]?.disabled)
    await db
      .updateTable('webhook_deliveries')
      .set({ status: 'failed', due_at: null, claim: null })
      .where('webhook_id', '=', webhook.id)
      .where('due_at', 'is not', null)
      .execute();
}

const STATUS_AFTER = {
  delivered: 'delivered',
  again: 'pending',
  failed: 'failed',
  lost: 'failed',
  gone: 'failed',
} as const;

function dueAfterResult(result: DeliveryResult): RawBuilder<unknown> {
  return result.kind === 'again' ? sql`now() + make_interval(secs => ${result.afterMs / 1_000})` : sql`null`;
}

function isAboutReceiver({ kind }: DeliveryResult): RawBuilder<unknown> {
  return kind === 'delivered' ? sql`failing_since is not null` : sql`${kind !== 'lost'}::boolean`;
}

/**
 * If a webhook gets few events, the time of its first failure may be long ago after a single failed attempt. So a
 * webhook is disabled only when a delivery has also used up all its attempts.
 */
function webhookHealthAfter({ kind }: DeliveryResult): RawBuilder<unknown> {
  if (kind === 'delivered') return sql`failing_since = null`;
  const isLong = sql`failing_since < now() - make_interval(days => ${DISABLE_AFTER_DAYS}::integer)`;
  const isDisabled = { gone: sql`true`, failed: isLong, again: sql`false`, lost: sql`false` }[kind];
  const reason = kind === 'gone' ? 'gone' : 'failing';
  return sql`
    failing_since = coalesce(failing_since, now()),
    disabled_at = coalesce(disabled_at, case when ${isDisabled} then now() end),
    disabled_reason = coalesce(disabled_reason, case when ${isDisabled} then ${reason} end)
  `;
}

/** Deletes the webhook events of some runs, and their deliveries. @internal */
export async function forgetWebhookEvents(db: Kysely<Tables>, runIds: readonly string[]): Promise<void> {
  await sql`
    with gone as (delete from webhook_events where run_id = any(${runIds}::text[]) returning id)
    delete from webhook_deliveries using gone where event_id = gone.id
  `.execute(db);
}

/** The age from which deliveries are deleted. */
const KEEP_DAYS = 30;
const BATCH = 2_000;

/** Deletes old events with their deliveries, oldest first. */
async function forgetOldWebhookEvents(db: Kysely<Tables>): Promise<void> {
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
