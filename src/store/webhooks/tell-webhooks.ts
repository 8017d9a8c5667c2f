import { sql } from 'kysely';
import statement, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { toWebhookEvents } from '../../graph/journal/index.ts';
import type { JournalBatch, WebhookEvent } from '../../graph/journal/index.ts';

/** The run that tells. */
interface Teller {
  readonly runId: string;
  readonly tenantId: string;
}

/**
 * The clauses that tell the webhooks of the tenant what a batch has for them. They stand in the statement that writes the
 * batch, after `written_events` and `updated_run`: of a batch that is written again nothing is told. Replays tell nothing.
 */
export function tellingParts(batch: JournalBatch, teller: Teller): readonly Sql[] {
  const told = toWebhookEvents(batch);
  if (told.length === 0) return [];
  return [
    statement`told_events as (${insertEvents(told, teller)})`,
    statement`told_webhooks as (${insertDeliveries(teller)})`,
  ];
}

/** A statement that tells webhooks of what no batch has. */
export function tellOf(told: readonly WebhookEvent[], teller: Teller): Sql {
  return statement`
    with written_events as (select null::integer as seq), updated_run as (select null::json as view),
      told_events as (${insertEvents(told, teller)}), told_webhooks as (${insertDeliveries(teller)})
    select
  `;
}

function insertEvents(told: readonly WebhookEvent[], { runId, tenantId }: Teller): Sql {
  return statement`
    insert into webhook_events (id, tenant_id, type, run_id, subject_id, at, subject)
    select 'evt_' || md5(${`${runId}/`} || key), ${tenantId}, type, ${runId}, subject_id, at,
      case when subject_id is null then updated_run.view else subject::json end
    from unnest(
      ${told.map(({ key }) => key)}::text[],
      ${told.map(({ seq }) => seq)}::integer[],
      ${told.map(({ type }) => type)}::text[],
      ${told.map(({ subjectId }) => subjectId)}::text[],
      ${told.map(({ at }) => at)}::timestamptz[],
      ${told.map(({ subject }) => subject && JSON.stringify(subject))}::text[]
    ) as rows (key, seq, type, subject_id, at, subject) left join updated_run on true
    where (seq is null or seq in (select seq from written_events))
      and exists (select from webhooks where ${isAsking(tenantId, statement`rows`)})
      and not exists (select from runs where id = ${runId} and replay_of is not null)
    on conflict (id) do nothing
    returning id, type, at
  `;
}

function insertDeliveries({ tenantId }: Teller): Sql {
  return statement`
    insert into webhook_deliveries (id, webhook_id, event_id, type, status, due_at, failures, attempts, created_at)
    select ${NEW_ID}, webhooks.id, told_events.id, type, 'pending', now(), 0, '[]', ${raw(NOW_TEXT)}
    from told_events join webhooks on ${isAsking(tenantId, statement`told_events`)}
  `;
}

/** No webhook is told of an intervention that was there before it, or that it was told of and has forgotten. */
function isAsking(tenantId: string, told: Sql): Sql {
  return statement`
    webhooks.tenant_id = ${tenantId} and webhooks.disabled_at is null and ${told}.type = any(webhooks.events)
      and (${told}.type <> 'intervention.requested'
        or ${told}.at >= greatest(webhooks.created_at, now() - interval '29 days'))
  `;
}

/** Cursors of lists have times in milliseconds. */
const NOW_TEXT = `date_trunc('milliseconds', now())`;
export const NOW_AS_LISTED = sql.raw<string>(NOW_TEXT);

/** Its parts have no dot, which separates the id from what is signed with it. */
const NEW_ID = statement`'msg_' || replace(gen_random_uuid()::text, '-', '')`;
