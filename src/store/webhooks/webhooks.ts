import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import type { WebhookEventType } from '../../graph/journal/index.ts';
import { oneAtATime } from '../database/one-at-a-time.ts';
import { isBefore, mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { NOW_AS_LISTED } from './tell-webhooks.ts';
import type { WebhooksTable } from './webhook-tables.ts';

/** An address that is told of events of a tenant. */
export interface Webhook {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly format: WebhooksTable['format'];
  /** What links in messages begin with. */
  readonly linkBase: string | null;
  /** The time since which nothing was delivered; `null`: the last delivery was one. */
  readonly failingSince: string | null;
  /** `null`: it is told of events. */
  readonly disabled: { readonly at: string; readonly reason: 'gone' | 'failing' } | null;
  readonly createdAt: string;
  readonly createdBy: string;
}

export type NewWebhook = Omit<Webhook, 'failingSince' | 'disabled' | 'createdAt'> & {
  /** `null`: its format has no signatures. */
  readonly secret: string | null;
};

interface WebhookKey {
  readonly tenantId: string;
  readonly id: string;
}

/** A new secret, with an id that repetitions of the request have, too. */
interface Rotation {
  readonly id: string;
  readonly secret: string;
}

/** Webhooks of tenants. Secrets are read only by who signs. */
export interface Webhooks {
  /** Adds a webhook; the same id again changes nothing. @returns `null`: the tenant has as many as it may have */
  add(webhook: NewWebhook, most: number): Promise<Webhook | null>;
  find(tenantId: string, id: string): Promise<Webhook | null>;
  /** The newest first. */
  list(tenantId: string, page: PageRequest): Promise<Page<Webhook>>;
  /** Removes a webhook with its deliveries; without one it changes nothing. */
  remove(tenantId: string, id: string): Promise<void>;
  /** Gives it another secret; the one of before signs beside it for a day. The same rotation again changes nothing. */
  rotate(webhook: WebhookKey, rotation: Rotation): Promise<Webhook | null>;
  /** Lets it be told of events again. */
  enable(tenantId: string, id: string): Promise<Webhook | null>;
  /** The secrets that sign now, the newest first. */
  secretsOf(id: string): Promise<readonly string[]>;
}

export function createWebhooks(db: Kysely<Tables>): Webhooks {
  return {
    add: (webhook, most) => add(db, webhook, most),
    find: (tenantId, id) => find(db, tenantId, id),
    list: (tenantId, page) => list(db, tenantId, page),
    remove: (tenantId, id) => remove(db, tenantId, id),
    rotate: (webhook, rotation) => rotate(db, webhook, rotation),
    async enable(tenantId, id) {
      const row = await changed(db, { tenantId, id })
        .set({ disabled_at: null, disabled_reason: null, failing_since: null })
        .returningAll()
        .executeTakeFirst();
      return row ? toWebhook(row) : null;
    },
    secretsOf: (id) => secretsOf(db, id),
  };
}

/** Webhooks of a tenant are added one after the other, so that they can be counted. */
async function add(db: Kysely<Tables>, webhook: NewWebhook, most: number): Promise<Webhook | null> {
  const { id, tenantId, url, events, format, linkBase, secret, createdBy } = webhook;
  return await oneAtATime(db, `webhooks of ${tenantId}`, async (transaction) => {
    const known = await find(transaction, tenantId, id);
    if (known) return known;
    const { count } = await transaction
      .selectFrom('webhooks')
      .select(sql<number>`count(*)::integer`.as('count'))
      .where('tenant_id', '=', tenantId)
      .executeTakeFirstOrThrow();
    if (count >= most) return null;
    const row = await transaction
      .insertInto('webhooks')
      .values({
        id,
        tenant_id: tenantId,
        url,
        events,
        format,
        link_base: linkBase,
        secret,
        created_at: NOW_AS_LISTED,
        created_by: createdBy,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toWebhook(row);
  });
}

async function find(db: Kysely<Tables>, tenantId: string, id: string): Promise<Webhook | null> {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toWebhook(row) : null;
}

async function list(db: Kysely<Tables>, tenantId: string, { limit, after }: PageRequest): Promise<Page<Webhook>> {
  const rows = db
    .selectFrom('webhooks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where(isBefore('created_at', after));
  const page = await readPage(db, rows, {
    limit,
    order: sql`created_at desc, id desc`,
    payloads: ['url'],
    positionOf: ({ created_at, id }) => ({ at: created_at.toISOString(), id }),
  });
  return mapPage(page, toWebhook);
}

async function remove(db: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await sql`
    with gone as (delete from webhooks where tenant_id = ${tenantId} and id = ${id} returning id)
    delete from webhook_deliveries using gone where webhook_id = gone.id
  `.execute(db);
}

function changed(db: Kysely<Tables>, { tenantId, id }: WebhookKey) {
  return db.updateTable('webhooks').where('tenant_id', '=', tenantId).where('id', '=', id);
}

async function rotate(db: Kysely<Tables>, key: WebhookKey, { id, secret }: Rotation): Promise<Webhook | null> {
  await changed(db, key)
    .where('secret', 'is not', null)
    .where(sql<boolean>`rotation is distinct from ${id}`)
    .set({
      secret,
      rotation: id,
      previous_secret: sql<string>`secret`,
      previous_until: sql<string>`now() + interval '24 hours'`,
    })
    .execute();
  return await find(db, key.tenantId, key.id);
}

async function secretsOf(db: Kysely<Tables>, id: string): Promise<readonly string[]> {
  const row = await db
    .selectFrom('webhooks')
    .select('secret')
    .select(sql<string | null>`case when previous_until > now() then previous_secret end`.as('previous'))
    .where('id', '=', id)
    .executeTakeFirst();
  return [row?.secret, row?.previous].flatMap((secret) => secret ?? []);
}

function toWebhook(row: Selectable<WebhooksTable>): Webhook {
  const { disabled_at: at, disabled_reason: reason } = row;
  return {
    id: row.id,
    tenantId: row.tenant_id,
    url: row.url,
    events: row.events,
    format: row.format,
    linkBase: row.link_base,
    failingSince: row.failing_since?.toISOString() ?? null,
    disabled: at && reason && { at: at.toISOString(), reason },
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
  };
}
