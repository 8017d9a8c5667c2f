import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type { WebhookEvent } from '../../graph/journal/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Tables } from '../tables.ts';
import { noticesOf } from './notices-of.ts';
import { runStatement } from '../database/run-statement.ts';
import { tellOf } from './tell-webhooks.ts';

/** Reminders and escalations of approvals that are not decided yet. */
export interface ApprovalNotices {
  /** Tells webhooks of all notices that are due, each once. */
  tellDue(): Promise<void>;
}

const BATCH = 100;

export function createApprovalNotices(db: Kysely<Tables>): ApprovalNotices {
  return {
    async tellDue() {
      let told = BATCH;
      while (told === BATCH) told = await db.transaction().execute(tellSome);
    },
  };
}

interface DueApproval {
  readonly id: string;
  readonly tenant_id: string;
  readonly run_id: string;
  readonly body: Approval;
  readonly notice_at: Date;
  readonly now: Date;
}

/** Tells of some approvals, which no other process looks at meanwhile. @returns their number */
async function tellSome(transaction: Transaction<Tables>): Promise<number> {
  const { rows } = await sql<DueApproval>`
    select id, tenant_id, run_id, body, notice_at, now() as now from approvals
    where status = 'pending' and notice_at <= now()
    order by notice_at limit ${BATCH} for update skip locked
  `.execute(transaction);
  for (const row of rows) await tell(transaction, row);
  return rows.length;
}

async function tell(transaction: Transaction<Tables>, row: DueApproval): Promise<void> {
  const { id, tenant_id: tenantId, run_id: runId, body, notice_at: from, now } = row;
  const open = noticesOf(body).filter(({ at }) => Date.parse(at) >= from.getTime());
  const due = open.filter(({ at }) => Date.parse(at) <= now.getTime());
  const told = due.map(({ type, at }): WebhookEvent => ({
    type,
    key: `${id}/${type}@${at}`,
    seq: null,
    at,
    subjectId: id,
    subject: body,
  }));
  await runStatement(transaction, tellOf(told, { runId, tenantId }));
  const next = open.find(({ at }) => Date.parse(at) > now.getTime());
  await transaction
    .updateTable('approvals')
    .set({ notice_at: next?.at ?? null })
    .where('id', '=', id)
    .execute();
}
