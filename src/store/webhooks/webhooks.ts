import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import type { WebhookEventType } from '../../graph/journal/index.ts';
import { ROW_COUNT, putUpTo } from '../database/run-statement.ts';
import { NEWEST_FIRST, isBeforePosition, mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import { NOW_AS_LISTED } from './webhook-events.ts';
import type { EarlierSecret, WebhookFormat } from '../column-values.ts';
import type { WebhooksTable } from '../platform-tables.ts';
import { DAY_MS } from '../../graph/values/index.ts';

/** An address to which events of a tenant are sent. */
export interface Webhook {
  readonly id: string;
  readonly tenantId: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly format: WebhookFormat;
  /** The base URL of links in messages. */
  readonly linkBase: string | null;
  /** The time since which nothing was delivered; `null` when the last delivery succeeded. */
  readonly failingSince: string | null;
  /** `null` while events are sent to the webhook. */
  readonly disabled: { readonly at: string; readonly reason: 'gone' | 'failing' } | null;
  readonly createdAt: string;
  readonly createdBy: string;
}

export type NewWebhook = Omit<Webhook, 'failingSince' | 'disabled' | 'createdAt'> & {
  /** `null` when the format has no signatures. */
  readonly secret: string | null;
};

interface WebhookKey {
  readonly tenantId: string;
  readonly id: string;
}

/** A new secret with an id that is the same for all attempts of the request. */
interface SecretRotation {
  readonly id: string;
  readonly secret: string;
}

/** Webhooks of tenants. Only signing reads their secrets. */
export interface Webhooks {
  /** Adds a webhook. Adding the same id again has no effect. @returns `null` when the tenant's limit is reached */
  add(webhook: NewWebhook, most: number): Promise<Webhook | null>;
  find(tenantId: string, id: string): Promise<Webhook | null>;
  /** Finds a webhook of any tenant. */
  findById(id: string): Promise<Webhook | null>;
  /** Lists webhooks, newest first. */
  list(tenantId: string, page: PageRequest): Promise<Page<Webhook>>;
  /** Removes a webhook with its deliveries if it exists. */
  remove(tenantId: string, id: string): Promise<void>;
  /**
   * Replaces the secret; the previous one also signs for a day. The same rotation or the same secret again has no
   * effect.
   * @returns 'too-many' when the most earlier secrets that are allowed still sign
   */
  rotate(webhook: WebhookKey, rotation: SecretRotation, most: number): Promise<Webhook | 'too-many' | null>;
  /** Enables a disabled webhook. */
  enable(tenantId: string, id: string): Promise<Webhook | null>;
  /** Lists the secrets that sign now, newest first. */
  secretsOf(id: string): Promise<readonly string[]>;
}

/** @internal */
export function createWebhooks(db: Kysely<Tables>): Webhooks {
  return {
    add: (webhook, most) => addWebhook(db, webhook, most),
    async find(tenantId, id) {
      const row = await selectWebhook(db, { tenantId, id }).executeTakeFirst();
      return row ? toWebhook(row) : null;
    },
    async findById(id) {
      const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toWebhook(row) : null;
    },
    async list(tenantId, { limit, after }) {
      const rows = db
        .selectFrom('webhooks')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where(isBeforePosition('created_at', after));
      return mapPage(await readPage(db, rows, { ...NEWEST_FIRST, limit, payloads: ['url'] }), toWebhook);
    },
    async remove(tenantId, id) {
      await sql`
        with gone as (delete from webhooks where tenant_id = ${tenantId} and id = ${id} returning id)
        delete from webhook_deliveries using gone where webhook_id = gone.id
      `.execute(db);
    },
    rotate: (webhook, rotation, most) => rotateSecret(db, webhook, rotation, most),
    async enable(tenantId, id) {
      const row = await updateWebhook(db, { tenantId, id })
        .set({ disabled_at: null, disabled_reason: null, failing_since: null })
        .returningAll()
        .executeTakeFirst();
      return row ? toWebhook(row) : null;
    },
    async secretsOf(id) {
      const row = await db
        .selectFrom('webhooks')
        .select(['secret', 'earlier_secrets', NOW])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row || row.secret === null) return [];
      return [row.secret, ...secretsStillSigning(row.earlier_secrets, row.now).map(({ secret }) => secret)];
    },
  };
}

/** Webhooks of a tenant are added one at a time, so that their count is exact. */
async function addWebhook(db: Kysely<Tables>, webhook: NewWebhook, most: number): Promise<Webhook | null> {
  const { id, tenantId, url, events, format, linkBase, secret, createdBy } = webhook;
  const put = await putUpTo(db, `webhooks of ${tenantId}`, most, {
    existing: (transaction) => selectWebhook(transaction, { tenantId, id }),
    count: (transaction) => transaction.selectFrom('webhooks').select(ROW_COUNT).where('tenant_id', '=', tenantId),
    insert: (transaction) =>
      transaction
        .insertInto('webhooks')
        .values({
          id,
          tenant_id: tenantId,
          url,
          events,
          format,
          link_base: linkBase,
          secret,
          earlier_secrets: '[]',
          created_at: NOW_AS_LISTED,
          created_by: createdBy,
        })
        .returningAll(),
  });
  return put && toWebhook(put.row);
}

function selectWebhook(db: Kysely<Tables>, { tenantId, id }: WebhookKey) {
  return db.selectFrom('webhooks').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id);
}

function updateWebhook(db: Kysely<Tables>, { tenantId, id }: WebhookKey) {
  return db.updateTable('webhooks').where('tenant_id', '=', tenantId).where('id', '=', id);
}

/** The clock of the database, by which secrets expire. */
const NOW = sql<Date>`now()`.as('now');
const OVERLAP_MS = DAY_MS;

async function rotateSecret(
  db: Kysely<Tables>,
  key: WebhookKey,
  { id: rotation, secret }: SecretRotation,
  most: number,
): Promise<Webhook | 'too-many' | null> {
  return await db.transaction().execute(async (transaction) => {
    const row = await selectWebhook(transaction, key).select(NOW).forUpdate().executeTakeFirst();
    if (!row) return null;
    if (row.secret === null || row.secret === secret || row.rotation === rotation) return toWebhook(row);
    const earlier = secretsStillSigning(row.earlier_secrets, row.now).filter((one) => one.secret !== secret);
    if (earlier.length >= most) return 'too-many';
    const replaced = { secret: row.secret, until: new Date(row.now.getTime() + OVERLAP_MS).toISOString() };
    await updateWebhook(transaction, key)
      .set({ secret, rotation, earlier_secrets: JSON.stringify([replaced, ...earlier]) })
      .execute();
    return toWebhook(row);
  });
}

function secretsStillSigning(earlier: readonly EarlierSecret[], now: Date): readonly EarlierSecret[] {
  return earlier.filter(({ until }) => Date.parse(until) > now.getTime());
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
