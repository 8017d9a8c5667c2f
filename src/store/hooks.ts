import { sql } from 'kysely';
import type { Kysely, Selectable } from 'kysely';
import { ROW_COUNT, putUpTo } from './database/run-statement.ts';
import { mapPage, readPage } from './page.ts';
import type { Page, PageRequest } from './page.ts';
import type { Tables } from './tables.ts';
import type { HooksTable } from './platform-tables.ts';
import type { Hook, HookKey, NewHook, HookAnswer } from './hook.ts';

/** Hooks of tenants by name. */
export interface Hooks {
  /** Creates or replaces a hook. @returns `null` when a new hook would exceed the tenant's limit */
  put(hook: NewHook, most: number): Promise<{ readonly hook: Hook; readonly isNew: boolean } | null>;
  find(at: HookKey): Promise<Hook | null>;
  /** Lists the hooks of a tenant by name. */
  list(tenantId: string, page: PageRequest): Promise<Page<Hook>>;
  /** Removes a hook if it exists. Its received messages stay recorded. */
  remove(at: HookKey): Promise<void>;
  /**
   * Lists the hooks with a name in all tenants, up to a limit, oldest first. Replacing a hook does not change its age.
   */
  named(name: string, most: number): Promise<readonly Hook[]>;
}

/** @internal */
export function createHooks(db: Kysely<Tables>): Hooks {
  const all = db.selectFrom('hooks').selectAll();
  return {
    put: (hook, most) => putHook(db, hook, most),
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

/** The clock of the database, so that the ages of hooks are comparable, whatever process has written them. */
const NOW = sql<string>`now()`;

/** Hooks of a tenant are written one at a time, so that their count is exact. */
async function putHook(
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
  const put = await putUpTo(db, `hooks of ${tenantId}`, most, {
    existing: (transaction) =>
      transaction
        .updateTable('hooks')
        .set(written)
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .returningAll(),
    count: (transaction) => transaction.selectFrom('hooks').select(ROW_COUNT).where('tenant_id', '=', tenantId),
    insert: (transaction) =>
      transaction
        .insertInto('hooks')
        .values({ tenant_id: tenantId, name, created_at: NOW, ...written })
        .returningAll(),
  });
  return put && { hook: toHook(put.row), isNew: put.isNew };
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

/** Identifies a message that a hook has received. */
export interface MessageKey {
  readonly hook: HookKey;
  /** A hash of the content that distinguishes messages of the hook. */
  readonly message: string;
}

export type MessageClaim =
  /**
   * The caller must process the message. The work id makes the resulting run or event unique, however often this is
   * attempted.
   */
  | { readonly kind: 'mine'; readonly workId: string }
  | { readonly kind: 'done'; readonly answer: HookAnswer }
  | { readonly kind: 'in-progress' };

/** Messages of hooks, each of which is processed once. */
export interface HookMessages {
  /**
   * Claims a message. After the lease, an unfinished message may be claimed by another process.
   * @param workId the work id if the message is new
   */
  claim(at: MessageKey, workId: string): Promise<MessageClaim>;
  /** Records that a message was processed. */
  finish(at: MessageKey, answer: HookAnswer): Promise<void>;
  /** Releases the claim of an unfinished message. */
  release(at: MessageKey): Promise<void>;
  /** Deletes messages that are too old to be sent again. */
  forgetOld(): Promise<void>;
}

/** After this time, another process may claim the message: the first process is assumed to be lost. */
const LEASE_SECONDS = 60;
/** How long a processed message is remembered. */
const KEEP_DAYS = 90;

/** @internal */
export function createHookMessages(db: Kysely<Tables>): HookMessages {
  const unfinished = (at: MessageKey) =>
    db
      .updateTable('hook_messages')
      .where((is) => is.and(toHookMessageColumns(at)))
      .where('answer', 'is', null);
  return {
    claim: (at, workId) => claimMessage(db, at, workId),
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
      const isOld = sql<boolean>`received_at < now() - make_interval(days => ${KEEP_DAYS}::integer)`;
      await db.deleteFrom('hook_messages').where(isOld).execute();
    },
  };
}

function toHookMessageColumns({ hook, message }: MessageKey) {
  return { tenant_id: hook.tenantId, hook: hook.name, message };
}

async function claimMessage(db: Kysely<Tables>, at: MessageKey, workId: string): Promise<MessageClaim> {
  const { tenant_id, hook, message } = toHookMessageColumns(at);
  const { rows } = await sql<{ work_id: string }>`
    insert into hook_messages (tenant_id, hook, message, work_id, lease_until, received_at)
    values (${tenant_id}, ${hook}, ${message}, ${workId}, now() + make_interval(secs => ${LEASE_SECONDS}::integer), now())
    on conflict (tenant_id, hook, message) do update set lease_until = excluded.lease_until
      where hook_messages.answer is null and hook_messages.lease_until <= now()
    returning work_id
  `.execute(db);
  const [mine] = rows;
  if (mine) return { kind: 'mine', workId: mine.work_id };
  const known = await db
    .selectFrom('hook_messages')
    .select('answer')
    .where((is) => is.and(toHookMessageColumns(at)))
    .executeTakeFirst();
  return known?.answer ? { kind: 'done', answer: known.answer } : { kind: 'in-progress' };
}
