import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { HookAnswer } from './hook-tables.ts';
import type { HookKey } from './hooks.ts';

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
