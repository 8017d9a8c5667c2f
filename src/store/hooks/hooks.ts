import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { oneAtATime } from '../database/one-at-a-time.ts';
import { mapPage, readPage } from '../page.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Tables } from '../tables.ts';
import type { HookAction, HookScheme, HooksTable } from './hook-tables.ts';

/** A secret that is stored, or the name under which a resolver finds it. */
export type HookSecret = { readonly value: string } | { readonly secret: string };

/** A door for signed messages of another system. */
export interface Hook extends HookKey {
  readonly scheme: HookScheme;
  readonly secret: HookSecret;
  readonly action: HookAction;
  /** The channels of its input that were redacted when it was written. */
  readonly redacted: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Who changed it last, in whose name it acts. */
  readonly by: { readonly sub: string; readonly roles: readonly string[] };
}

export interface HookKey {
  readonly tenantId: string;
  readonly name: string;
}

export type NewHook = Omit<Hook, 'createdAt' | 'updatedAt'>;

/** Hooks of tenants, by their names. */
export interface Hooks {
  /** Writes a hook, in place of what was there. @returns `null`: it is new, and the tenant has as many as it may have */
  put(hook: NewHook, most: number): Promise<{ readonly hook: Hook; readonly isNew: boolean } | null>;
  find(at: HookKey): Promise<Hook | null>;
  /** By name. */
  list(tenantId: string, page: PageRequest): Promise<Page<Hook>>;
  /** Removes a hook; without one it changes nothing. Its messages stay known. */
  remove(at: HookKey): Promise<void>;
  /** The hooks of all tenants that have a name, up to a number; the oldest first, and a rewritten one is as old as before. */
  named(name: string, most: number): Promise<readonly Hook[]>;
}

export function createHooks(db: Kysely<Tables>): Hooks {
  const all = db.selectFrom('hooks').selectAll();
  return {
    put: (hook, most) => put(db, hook, most),
    async find({ tenantId, name }) {
      const row = await all.where('tenant_id', '=', tenantId).where('name', '=', name).executeTakeFirst();
      return row ? toHook(row) : null;
    },
    async list(tenantId, { limit, after }) {
      const ofTenant = all.where('tenant_id', '=', tenantId);
      const rows = after ? ofTenant.where('name', '>', after.id) : ofTenant;
      const positionOf = ({ name }: HookRow) => ({ at: '', id: name });
      return mapPage(await readPage(db, rows, { limit, order: sql`name`, payloads: ['action'], positionOf }), toHook);
    },
    async remove({ tenantId, name }) {
      await db.deleteFrom('hooks').where('tenant_id', '=', tenantId).where('name', '=', name).execute();
    },
    async named(name, most) {
      const rows = await all.where('name', '=', name).orderBy('created_at').orderBy('tenant_id').limit(most).execute();
      return rows.map(toHook);
    },
  };
}

/** The clock of the database: it tells which of two hooks is older, whatever processes have written them. */
const NOW = sql<string>`now()`;

/** Hooks of a tenant are written one after the other, so that they can be counted. */
async function put(
  db: Kysely<Tables>,
  { tenantId, name, scheme, secret, action, redacted, by }: NewHook,
  most: number,
): Promise<{ readonly hook: Hook; readonly isNew: boolean } | null> {
  const written = {
    scheme,
    secret: 'value' in secret ? secret.value : null,
    secret_name: 'secret' in secret ? secret.secret : null,
    action: JSON.stringify(action),
    redacted,
    updated_at: NOW,
    updated_by: by.sub,
    roles: by.roles,
  };
  return await oneAtATime(db, `hooks of ${tenantId}`, async (transaction) => {
    const changed = await transaction
      .updateTable('hooks')
      .set(written)
      .where('tenant_id', '=', tenantId)
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
    if (changed) return { hook: toHook(changed), isNew: false };
    const { count } = await transaction
      .selectFrom('hooks')
      .select(sql<number>`count(*)::integer`.as('count'))
      .where('tenant_id', '=', tenantId)
      .executeTakeFirstOrThrow();
    if (count >= most) return null;
    const added = await transaction
      .insertInto('hooks')
      .values({ tenant_id: tenantId, name, created_at: NOW, ...written })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { hook: toHook(added), isNew: true };
  });
}

type HookRow = Selectable<HooksTable>;

function toHook(row: HookRow): Hook {
  const { secret, secret_name: secretName } = row;
  return {
    tenantId: row.tenant_id,
    name: row.name,
    scheme: row.scheme,
    secret: secretName === null ? { value: secret ?? '' } : { secret: secretName },
    action: row.action,
    redacted: row.redacted,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    by: { sub: row.updated_by, roles: row.roles },
  };
}
