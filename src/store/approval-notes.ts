import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { WebhookEvent } from '../graph/journal/index.ts';
import type { Approval } from '../graph/run/index.ts';
import { DATABASE_NOW, runStatement } from './database/run-statement.ts';
import type { Tables } from './tables.ts';
import { insertWebhookEvents } from './webhooks/webhook-events.ts';

export interface ApprovalComment {
  readonly by: string;
  readonly text: string;
  /** RFC 3339. */
  readonly at: string;
}

/** What people have added to an approval. The run does not know of it. */
export interface NotesOfApproval {
  /** Oldest first. */
  readonly comments: readonly ApprovalComment[];
  /** The time of the last reminder; `null` when there was none. */
  readonly remindedAt: string | null;
}

export const NO_NOTES: NotesOfApproval = { comments: [], remindedAt: null };

export interface ApprovalNotes {
  /**
   * Reads the notes of approvals by approval id; unknown ids are missing in the result.
   * @param most the number of latest comments of each approval
   */
  of(approvalIds: readonly string[], most: number): Promise<ReadonlyMap<string, NotesOfApproval>>;
  /**
   * Adds a comment. Adding the same id again has no effect.
   * @returns false when the approval has the most comments that are allowed
   */
  comment(comment: NewComment, most: number): Promise<boolean>;
  /**
   * Records a reminder of a pending approval and notifies webhooks. The same id again has no effect unless another
   * reminder has followed.
   */
  remind(reminder: NewReminder, everySeconds: number): Promise<ReminderResult>;
}

export interface NewReminder {
  readonly id: string;
  readonly approvalId: string;
}

/** The result of a reminder. */
export type ReminderResult =
  | { readonly kind: 'noted' }
  /** The approval is not pending any more. */
  | { readonly kind: 'closed'; readonly status: Approval['status'] }
  | { readonly kind: 'too-soon'; readonly secondsLeft: number };

export interface NewComment {
  readonly id: string;
  readonly approvalId: string;
  readonly runId: string;
  readonly by: string;
  readonly text: string;
}

/** @internal */
export function createApprovalNotes(db: Kysely<Tables>): ApprovalNotes {
  return {
    of: (approvalIds, most) => readNotes(db, approvalIds, most),
    async comment({ id, approvalId, runId, by, text }, most) {
      await sql`
        insert into approval_comments (id, approval_id, run_id, written_by, text, created_at)
        select ${id}, ${approvalId}, ${runId}, ${by}, ${text}, clock_timestamp()
        where (select count(*) from approval_comments where approval_id = ${approvalId}) < ${most}
          and exists (select from approvals where id = ${approvalId})
        on conflict (id) do nothing
      `.execute(db);
      const written = await db.selectFrom('approval_comments').select('id').where('id', '=', id).executeTakeFirst();
      return written !== undefined;
    },
    remind: (reminder, everySeconds) => remindOnce(db, reminder, everySeconds),
  };
}

async function remindOnce(db: Kysely<Tables>, reminder: NewReminder, everySeconds: number): Promise<ReminderResult> {
  const isNew = await db
    .transaction()
    .execute(async (transaction) => await recordReminder(transaction, reminder, everySeconds));
  if (isNew) return { kind: 'noted' };
  const row = await db
    .selectFrom('approvals')
    .select(['status', 'reminder_id'])
    .select(sql<number>`ceil(${everySeconds} - extract(epoch from now() - reminded_at))::float8`.as('left'))
    .where('id', '=', reminder.approvalId)
    .executeTakeFirst();
  if (row?.reminder_id === reminder.id) return { kind: 'noted' };
  if (row && row.status !== 'pending') return { kind: 'closed', status: row.status };
  return { kind: 'too-soon', secondsLeft: Math.max(1, row?.left ?? 1) };
}

/** Records a reminder and notifies webhooks of it. @returns false when no reminder is due */
async function recordReminder(
  transaction: Transaction<Tables>,
  { id, approvalId }: NewReminder,
  everySeconds: number,
): Promise<boolean> {
  const row = await transaction
    .updateTable('approvals')
    .set({ reminded_at: DATABASE_NOW, reminder_id: id })
    .where('id', '=', approvalId)
    .where('status', '=', 'pending')
    .where(sql<boolean>`(reminded_at is null or reminded_at <= now() - make_interval(secs => ${everySeconds}))`)
    .returning(['tenant_id', 'run_id', 'reminded_at', 'body'])
    .executeTakeFirst();
  if (!row?.reminded_at) return false;
  const { tenant_id: tenantId, run_id: runId, body: subject } = row;
  const at = row.reminded_at.toISOString();
  const key = `${approvalId}/reminded@${at}`;
  const event: WebhookEvent = { type: 'approval.reminder', key, seq: null, at, subjectId: approvalId, subject };
  await runStatement(transaction, insertWebhookEvents([event], { runId, tenantId }));
  return true;
}

async function readNotes(
  db: Kysely<Tables>,
  approvalIds: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, NotesOfApproval>> {
  if (approvalIds.length === 0) return new Map();
  const [comments, reminded] = await Promise.all([
    db
      .selectFrom(
        db
          .selectFrom('approval_comments')
          .select(['id', 'approval_id', 'written_by', 'text', 'created_at'])
          .select(sql<number>`row_number() over (partition by approval_id order by created_at desc, id desc)`.as('age'))
          .where('approval_id', 'in', approvalIds)
          .as('comments'),
      )
      .selectAll()
      .where('age', '<=', most)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    db.selectFrom('approvals').select(['id', 'reminded_at']).where('id', 'in', approvalIds).execute(),
  ]);
  return new Map(
    reminded.map(({ id, reminded_at }) => [
      id,
      {
        comments: comments
          .filter(({ approval_id }) => approval_id === id)
          .map(({ written_by: by, text, created_at }) => ({ by, text, at: created_at.toISOString() })),
        remindedAt: reminded_at?.toISOString() ?? null,
      },
    ]),
  );
}
