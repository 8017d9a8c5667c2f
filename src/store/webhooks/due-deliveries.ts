import { sql } from 'kysely';
import type { Kysely, RawBuilder, Selectable } from 'kysely';
import type { Tables } from '../tables.ts';
import type { DeliveryAttempt, WebhookEventsTable, WebhooksTable } from '../platform-tables.ts';

/** A delivery that this process alone attempts, until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly claim: string;
  readonly eventId: string;
  readonly webhook: {
    readonly id: string;
    readonly tenantId: string;
    readonly url: string;
    readonly format: WebhooksTable['format'];
    readonly linkBase: string | null;
  };
  /** Failed attempts so far. */
  readonly failures: number;
  readonly attempts: readonly DeliveryAttempt[];
}

/** What a process asks for. */
export interface ClaimRequest {
  /** Names the process and its look; another one for each. */
  readonly claim: string;
  /** Webhooks are claimed in the order of their ids, from the one after this. */
  readonly after: string;
  readonly webhooks: number;
  /** The most of a tenant, those that are busy included. */
  readonly webhooksOfTenant: number;
  /** The most of a webhook; after a failure, one. */
  readonly deliveriesOfWebhook: number;
  readonly leaseMs: number;
  /** Webhooks that the process sends to, and their number for each tenant. */
  readonly busy: { readonly webhooks: readonly string[]; readonly ofTenants: ReadonlyMap<string, number> };
}

/** What an event says, as far as its body is made of it. */
export interface StoredWebhookEvent extends Pick<Selectable<WebhookEventsTable>, 'type' | 'subject' | 'body'> {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  /** `null`: the event is of no run, and has its body. */
  readonly runId: string | null;
  /** The id of its approval or intervention. */
  readonly subjectId: string | null;
}

/** What became of an attempt: done, to be tried again after a while, or given up. */
export type DeliveryResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed' }
  /** There was nothing to send: what it is about is deleted. It says nothing of the receiver. */
  | { readonly kind: 'lost' }
  /** The receiver wants to hear no more: the webhook is disabled. */
  | { readonly kind: 'gone' };

/** Deliveries whose time has come. Of all API processes, one claims each; the clock is the database's. */
export interface DueDeliveries {
  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]>;
  /** @returns `null`: the run is deleted, and its events with it */
  eventOf(id: string): Promise<StoredWebhookEvent | null>;
  /** Keeps the body of an event; the first one counts. @returns the body that counts */
  keepBody(eventId: string, body: string): Promise<string | null>;
  /** Records an attempt. Without its claim it records nothing, as another process has taken the delivery over. */
  record(delivery: ClaimedDelivery, attempt: DeliveryAttempt, result: DeliveryResult): Promise<void>;
  /** Gives up claims without an attempt. */
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
  /** Deletes what is old. */
  forgetOld(): Promise<void>;
}

export function createDueDeliveries(db: Kysely<Tables>): DueDeliveries {
  return {
    claim: (request) => claim(db, request),
    eventOf: (id) => eventOf(db, id),
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
    record: (delivery, attempt, result) => record(db, delivery, { attempt, result }),
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

/** More webhooks are not looked at in one claim; the next one begins behind those that it has claimed. */
const MAX_CANDIDATES = 500;

/**
 * Looks at one entry of the index for each webhook with anything to come, and at no others. Of a tenant with more
 * webhooks than may be claimed, the lot decides: none waits for the same others again and again.
 */
async function claim(db: Kysely<Tables>, request: ClaimRequest): Promise<readonly ClaimedDelivery[]> {
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
  return rows.map((row) => toClaimed(row, request.claim));
}

function nextWebhook(after: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select webhook_id from webhook_deliveries where due_at is not null and webhook_id > ${after}
    order by webhook_id limit 1
  `;
}

interface ClaimedRow {
  readonly id: string;
  readonly event_id: string;
  readonly failures: number;
  readonly attempts: readonly DeliveryAttempt[];
  readonly webhook_id: string;
  readonly tenant_id: string;
  readonly url: string;
  readonly format: WebhooksTable['format'];
  readonly link_base: string | null;
}

function toClaimed(row: ClaimedRow, claimId: string): ClaimedDelivery {
  const { id, event_id: eventId, failures, attempts, webhook_id, tenant_id: tenantId, url, format, link_base } = row;
  const webhook = { id: webhook_id, tenantId, url, format, linkBase: link_base };
  return { id, claim: claimId, eventId, webhook, failures, attempts };
}

async function eventOf(db: Kysely<Tables>, id: string): Promise<StoredWebhookEvent | null> {
  const row = await db.selectFrom('webhook_events').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return null;
  const { type, at, run_id: runId, subject_id: subjectId, subject, body } = row;
  return { id, type, at: at.toISOString(), runId, subjectId, subject, body };
}

/** Replays make more attempts than the schedule has. */
const KEPT_ATTEMPTS = 30;
/** A webhook with failures alone for so long is disabled. */
const DISABLE_AFTER_DAYS = 5;

interface Recorded {
  readonly attempt: DeliveryAttempt;
  readonly result: DeliveryResult;
}

/** A webhook that is disabled by it gets nothing any more: what was still to come has failed. */
async function record(db: Kysely<Tables>, delivery: ClaimedDelivery, { attempt, result }: Recorded): Promise<void> {
  const { id, claim: claimId, webhook, failures, attempts } = delivery;
  const kept = JSON.stringify([...attempts, attempt].slice(-KEPT_ATTEMPTS));
  const { rows } = await sql<{ disabled: boolean }>`
    with recorded as (
      update webhook_deliveries set claim = null, status = ${STATUS_AFTER[result.kind]}, due_at = ${dueAfter(result)},
        attempts = ${kept}, failures = ${result.kind === 'delivered' ? failures : failures + 1}
      where id = ${id} and claim = ${claimId}
      returning webhook_id
    )
    update webhooks set ${healthAfter(result)} from recorded
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

function dueAfter(result: DeliveryResult): RawBuilder<unknown> {
  return result.kind === 'again' ? sql`now() + make_interval(secs => ${result.afterMs / 1_000})` : sql`null`;
}

function isAboutReceiver({ kind }: DeliveryResult): RawBuilder<unknown> {
  return kind === 'delivered' ? sql`failing_since is not null` : sql`${kind !== 'lost'}::boolean`;
}

/** A webhook that is told of little has failed long ago and once: a message has to use up its attempts before it is disabled. */
function healthAfter({ kind }: DeliveryResult): RawBuilder<unknown> {
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
