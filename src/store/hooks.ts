import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { oneAtATime } from './database/run-statement.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables } from './tables.ts';
import type { HookAction, HookScheme, HooksTable, HookAnswer } from './platform-tables.ts';

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

/** A message that has come to a hook. */
export interface MessageKey {
  readonly hook: HookKey;
  /** A hash of what tells it from other messages of the hook. */
  readonly message: string;
}

export type MessageClaim =
  /** The caller acts on it. Its work id makes a run or event once, however often it is tried. */
  | { readonly kind: 'mine'; readonly workId: string }
  | { readonly kind: 'done'; readonly answer: HookAnswer }
  | { readonly kind: 'in-progress' };

/** Messages of hooks, each of which is done once. */
export interface HookMessages {
  /** Claims a message. After its lease, another may claim one that is not done. @param workId of a new message */
  claim(at: MessageKey, workId: string): Promise<MessageClaim>;
  /** Notes that a message is done. */
  finish(at: MessageKey, answer: HookAnswer): Promise<void>;
  /** Lets a message be claimed at once that was not done. */
  release(at: MessageKey): Promise<void>;
  /** Deletes messages so old that they are not sent again. */
  forgetOld(): Promise<void>;
}

/** Another process may take a message over after this time: the first one's is gone. */
const LEASE_SECONDS = 60;
/** The time for which a message is known. */
const KEEP_DAYS = 90;

export function createHookMessages(db: Kysely<Tables>): HookMessages {
  const unfinished = ({ hook, message }: MessageKey) =>
    db
      .updateTable('hook_messages')
      .where('tenant_id', '=', hook.tenantId)
      .where('hook', '=', hook.name)
      .where('message', '=', message)
      .where('answer', 'is', null);
  return {
    claim: (at, workId) => claim(db, at, workId),
    async finish(at, answer) {
      await unfinished(at)
        .set({ answer: JSON.stringify(answer) })
        .execute();
    },
    async release(at) {
      await unfinished(at)
        .set({ lease_until: sql<string>`now()` })
        .execute();
    },
    async forgetOld() {
      await sql`delete from hook_messages where received_at < now() - make_interval(days => ${KEEP_DAYS}::integer)`.execute(
        db,
      );
    },
  };
}

async function claim(db: Kysely<Tables>, { hook, message }: MessageKey, workId: string): Promise<MessageClaim> {
  const { tenantId, name } = hook;
  const { rows } = await sql<{ work_id: string }>`
    insert into hook_messages (tenant_id, hook, message, work_id, lease_until, received_at)
    values (${tenantId}, ${name}, ${message}, ${workId}, now() + make_interval(secs => ${LEASE_SECONDS}::integer), now())
    on conflict (tenant_id, hook, message) do update set lease_until = excluded.lease_until
      where hook_messages.answer is null and hook_messages.lease_until <= now()
    returning work_id
  `.execute(db);
  const [mine] = rows;
  if (mine) return { kind: 'mine', workId: mine.work_id };
  const known = await db
    .selectFrom('hook_messages')
    .select('answer')
    .where('tenant_id', '=', tenantId)
    .where('hook', '=', name)
    .where('message', '=', message)
    .executeTakeFirst();
  return known?.answer ? { kind: 'done', answer: known.answer } : { kind: 'in-progress' };
}
