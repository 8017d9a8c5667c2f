import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import statement, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { toWebhookEvents } from '../../graph/journal/index.ts';
import type { JournalBatch, WebhookEvent } from '../../graph/journal/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Tables } from '../tables.ts';
import { runStatement } from '../database/run-statement.ts';
import { formatTimestamp, toMs } from '../../graph/values/index.ts';

/** The run that emits the events. */
interface EmittingRun {
  readonly runId: string;
  readonly tenantId: string;
}

/**
 * Builds the clauses that create the webhook events of a batch. They belong to the statement that writes the batch,
 * after `written_events` and `updated_run`. A batch that is written again creates no events, and neither does a replay.
 * @internal
 */
export function webhookClauses(batch: JournalBatch, emitter: EmittingRun): readonly Sql[] {
  const webhookEvents = toWebhookEvents(batch);
  if (webhookEvents.length === 0) return [];
  return [
    statement`new_events as (${insertEvents(webhookEvents, emitter)})`,
    statement`new_deliveries as (${insertDeliveries(emitter)})`,
  ];
}

/** Builds a statement that creates webhook events that belong to no batch. @internal */
export function insertWebhookEvents(webhookEvents: readonly WebhookEvent[], emitter: EmittingRun): Sql {
  return statement`
    with written_events as (select null::integer as seq), updated_run as (select null::json as view),
      new_events as (${insertEvents(webhookEvents, emitter)}), new_deliveries as (${insertDeliveries(emitter)})
    select
  `;
}

function insertEvents(webhookEvents: readonly WebhookEvent[], { runId, tenantId }: EmittingRun): Sql {
  return statement`
    insert into webhook_events (id, tenant_id, type, run_id, subject_id, at, subject)
    select 'evt_' || md5(${`${runId}/`} || key), ${tenantId}, type, ${runId}, subject_id, at,
      case when subject_id is null then updated_run.view else subject::json end
    from unnest(
      ${webhookEvents.map(({ key }) => key)}::text[],
      ${webhookEvents.map(({ seq }) => seq)}::integer[],
      ${webhookEvents.map(({ type }) => type)}::text[],
      ${webhookEvents.map(({ subjectId }) => subjectId)}::text[],
      ${webhookEvents.map(({ at }) => at)}::timestamptz[],
      ${webhookEvents.map(({ subject }) => subject && JSON.stringify(subject))}::text[]
    ) as rows (key, seq, type, subject_id, at, subject) left join updated_run on true
    where (seq is null or seq in (select seq from written_events))
      and exists (select from webhooks where ${isSubscribed(tenantId, statement`rows`)})
      and not exists (select from runs where id = ${runId} and replay_of is not null)
    on conflict (id) do nothing
    returning id, type, at
  `;
}

function insertDeliveries({ tenantId }: EmittingRun): Sql {
  return statement`
    insert into webhook_deliveries (id, webhook_id, event_id, type, status, due_at, failures, attempts, created_at)
    select ${NEW_ID}, webhooks.id, new_events.id, type, 'pending', now(), 0, '[]', ${raw(NOW_TEXT)}
    from new_events join webhooks on ${isSubscribed(tenantId, statement`new_events`)}
  `;
}

/**
 * A webhook receives an intervention only if it is newer than the webhook, and so young that no earlier delivery of it can
 * have been deleted.
 */
function isSubscribed(tenantId: string, event: Sql): Sql {
  return statement`
    webhooks.tenant_id = ${tenantId} and webhooks.disabled_at is null and ${event}.type = any(webhooks.events)
      and (${event}.type <> 'intervention.requested'
        or ${event}.at >= greatest(webhooks.created_at, now() - interval '29 days'))
  `;
}

/** Cursors of lists have times in milliseconds. */
const NOW_TEXT = `date_trunc('milliseconds', now())`;
/** @internal */
export const NOW_AS_LISTED = sql.raw<string>(NOW_TEXT);

/** The id must contain no dot, because a dot separates it from the signed content. */
const NEW_ID = statement`'msg_' || replace(gen_random_uuid()::text, '-', '')`;

/** Sends reminders and escalations of pending approvals. */
export interface ApprovalNotices {
  /** Notifies webhooks of all due notices, each once. */
  sendDue(): Promise<void>;
}

const BATCH = 100;

/** @internal */
export function createApprovalNotices(db: Kysely<Tables>): ApprovalNotices {
  return {
    async sendDue() {
      let sent = BATCH;
      while (sent === BATCH) sent = await db.transaction().execute(sendSomeNotices);
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

/** Notifies webhooks about some approvals, which are locked meanwhile. @returns their number */
async function sendSomeNotices(transaction: Transaction<Tables>): Promise<number> {
  const { rows } = await sql<DueApproval>`
    select id, tenant_id, run_id, body, notice_at, now() as now from approvals
    where status = 'pending' and notice_at <= now()
    order by notice_at limit ${BATCH} for update skip locked
  `.execute(transaction);
  for (const row of rows) await sendNotices(transaction, row);
  return rows.length;
}

async function sendNotices(transaction: Transaction<Tables>, row: DueApproval): Promise<void> {
  const { id, tenant_id: tenantId, run_id: runId, body, notice_at: from, now } = row;
  const open = noticesOf(body).filter(({ at }) => Date.parse(at) >= from.getTime());
  const due = open.filter(({ at }) => Date.parse(at) <= now.getTime());
  const webhookEvents = due.map(({ type, at }): WebhookEvent => ({
    type,
    key: `${id}/${type}@${at}`,
    seq: null,
    at,
    subjectId: id,
    subject: body,
  }));
  await runStatement(transaction, insertWebhookEvents(webhookEvents, { runId, tenantId }));
  const next = open.find(({ at }) => Date.parse(at) > now.getTime());
  await transaction
    .updateTable('approvals')
    .set({ notice_at: next?.at ?? null })
    .where('id', '=', id)
    .execute();
}

/** A reminder or an escalation of a pending approval. */
export interface ApprovalNotice {
  readonly type: 'approval.reminder' | 'approval.escalated';
  /** RFC 3339. */
  readonly at: string;
}

/** Returns all notices of an approval in order: those before it expires, one of each type at a time. */
export function noticesOf({
  policy: { reminders = [], escalate = [] },
  requestedAt,
  expiresAt,
}: Pick<Approval, 'policy' | 'requestedAt' | 'expiresAt'>): readonly ApprovalNotice[] {
  const timesOf = (afters: readonly string[]): readonly number[] =>
    [...new Set(afters.map((after) => Date.parse(requestedAt) + toMs(after)))].filter(
      (at) => at < Date.parse(expiresAt),
    );
  return [
    ...timesOf(reminders).map((at) => ({ type: 'approval.reminder', at }) as const),
    ...timesOf(escalate.map(({ after }) => after)).map((at) => ({ type: 'approval.escalated', at }) as const),
  ]
    .toSorted((one, other) => one.at - other.at)
    .map(({ type, at }) => ({ type, at: formatTimestamp(at) }));
}
