import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type {
  ActiveFire,
  ClosableFire,
  DueFire,
  FireReference,
  FireWork,
  OpenedFire,
  OverFire,
  UnclosedFire,
} from './fire.ts';
import { belongsTo, inMs, isNamed, iso, toIso } from './fire-sql.ts';
import type { FireResult, ScheduleReference } from './schedule.ts';

/** The result of a time whose workflow no worker has taken in time. */
const MISSED = {
  outcome: 'skipped',
  code: 'MISSED',
  message: 'No worker has taken this time within a day',
} satisfies FireResult;

export async function open(db: Kysely<Tables>, fire: OpenedFire): Promise<boolean> {
  if (fire.isLate) await recordLate(db, fire);
  const { tenantId, id, at, runId, openedAt, isLate, isCanceled } = fire;
  const { rows } = await sql`
    insert into schedule_fires as f (tenant_id, schedule_id, at, kind, run_id, opened_at, canceled_at)
    select s.tenant_id, s.id, ${at}::timestamptz, 'time', ${runId}::text, ${openedAt}::timestamptz,
      case when ${isCanceled}::boolean then now() end
    from schedules s
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
    on conflict (tenant_id, schedule_id, at) do update set
      opened_at = coalesce(f.opened_at, excluded.opened_at),
      closed_at = null,
      outcome = case when f.closed_at is null then f.outcome else 'pending' end,
      code = case when f.closed_at is null then f.code end,
      message = case when f.closed_at is null then f.message end,
      canceled_at = coalesce(f.canceled_at, excluded.canceled_at),
      due_at = case when f.opened_at is null or excluded.canceled_at is not null then now() else f.due_at end
    where f.closed_at is null or (f.opened_at is null and f.outcome = 'skipped' and not ${isLate}::boolean)
    returning f.at
  `.execute(db);
  if (rows.length > 0) await lookAgain(db, fire);
  return rows.length > 0;
}

/** Makes sent triggers due, because Temporal may have opened a fire instead of them. */
async function lookAgain(db: Kysely<Tables>, fire: FireReference): Promise<void> {
  await sql`
    update schedule_fires f set due_at = now()
    where ${belongsTo(fire)} and f.kind = 'trigger' and f.closed_at is null and f.opened_at is null and f.sent_at is not null
      and f.due_at > now()
  `.execute(db);
}

/** Records a late time that nobody has asked for. */
async function recordLate(db: Kysely<Tables>, { tenantId, id, at, runId, openedAt }: OpenedFire): Promise<void> {
  const { outcome, code, message } = MISSED;
  await sql`
    insert into schedule_fires
      (tenant_id, schedule_id, at, kind, run_id, opened_at, closed_at, outcome, code, message)
    select s.tenant_id, s.id, ${at}::timestamptz, 'time', ${runId}::text, ${openedAt}::timestamptz, now(),
      ${outcome}::text, ${code}::text, ${message}::text
    from schedules s
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
    on conflict do nothing
  `.execute(db);
}

interface Claim {
  readonly limit: number;
  readonly schedule: ScheduleReference | undefined;
}

export async function claim(
  db: Kysely<Tables>,
  work: FireWork,
  { limit, schedule }: Claim,
): Promise<readonly DueFire[]> {
  const isCancel = sql`(f.canceled_at is not null and f.outcome = 'started')`;
  const isDue = sql`f.closed_at is null and f.due_at <= now() and ${isCancel} = ${work === 'cancel'}`;
  const { rows } = await sql<DueFire>`
    with due as (
      select f.tenant_id, f.schedule_id, f.at,
        row_number() over (partition by f.tenant_id order by f.due_at, f.at) as place
      from schedule_fires f where ${isDue} and ${schedule ? belongsTo(schedule) : sql`true`}
      order by place, f.at limit ${limit}
    )
    update schedule_fires f set due_at = ${inMs(CLAIMED_FOR_MS)}
    from due d
    where f.tenant_id = d.tenant_id and f.schedule_id = d.schedule_id and f.at = d.at and ${isDue}
    returning f.tenant_id as "tenantId", f.schedule_id as id, ${iso('at')} as at, f.kind, f.run_id as "runId", f.outcome,
      f.asked_at is not null as "isAsked", f.sent_at is not null as "isSent",
      ${iso('opened_at')} as "openedAt", f.canceled_at is not null as "isCanceled",
      (extract(epoch from now() - coalesce(f.canceled_at, f.opened_at, f.sent_at, now())) * 1000)::float8 as "waitedMs"
  `.execute(db);
  return rows.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Afterwards another process may claim the fire. */
const CLAIMED_FOR_MS = 60_000;

export async function over(db: Kysely<Tables>, limit: number): Promise<readonly UnclosedFire[]> {
  const { rows } = await sql<UnclosedFire>`
    select f.tenant_id as "tenantId", f.schedule_id as id, ${iso('at')} as at, f.outcome,
      ${iso('opened_at')} as "openedAt", f.close_failures as failures
    from schedule_fires f
    left join runs r on r.id = f.run_id
    left join schedules s on s.id = f.schedule_id and s.deleted_at is null
    where f.opened_at is not null and f.closed_at is null and f.close_after <= now() and (
      s.id is null or f.outcome in ('skipped', 'failed')
      or (f.outcome = 'started' and (r.id is null or r.ended_at is not null))
    )
    order by f.opened_at limit ${limit}
  `.execute(db);
  return rows;
}

/** Fires that Temporal opens within this time may have left its buffer earlier. It is also the tolerance between clocks. */
const PASSED_OVER_AFTER_MS = 5_000;

export async function isPassedOver(db: Kysely<Tables>, fire: FireReference): Promise<boolean> {
  const { rows } = await sql`
    select from schedule_fires f join schedule_fires own
      on own.tenant_id = f.tenant_id and own.schedule_id = f.schedule_id and own.at = ${fire.at}::timestamptz
    where ${belongsTo(fire)} and f.at <> own.at
      and f.opened_at > own.sent_at + make_interval(secs => ${PASSED_OVER_AFTER_MS / 1_000}::float8)
    limit 1
  `.execute(db);
  return rows.length > 0;
}

export async function idleSince(db: Kysely<Tables>, fire: OverFire, mayOverlap: boolean): Promise<string | null> {
  const end = mayOverlap ? sql`f.at` : sql`coalesce(f.closed_at, now())`;
  const { rows } = await sql<{ readonly since: string | null }>`
    select ${toIso(sql`max(${end})`)} as since from schedule_fires f
    where ${belongsTo(fire)} and f.kind <> 'backfill' and f.opened_at <= ${fire.openedAt}::timestamptz
      and f.at <> ${fire.at}::timestamptz and (not ${mayOverlap}::boolean or f.at < ${fire.at}::timestamptz)
  `.execute(db);
  return rows[0]?.since ?? null;
}

export async function activeBeside(db: Kysely<Tables>, fire: FireReference): Promise<readonly ActiveFire[]> {
  const { rows } = await sql<ActiveFire>`
    select ${iso('at')} as at, f.run_id as "runId", f.outcome, ${iso('opened_at')} as "openedAt"
    from schedule_fires f left join runs r on r.id = f.run_id
    where ${belongsTo(fire)} and f.at <> ${fire.at}::timestamptz and (
      (f.outcome = 'pending' and f.opened_at is not null) or (f.outcome = 'started' and r.id is not null and r.ended_at is null)
    )
  `.execute(db);
  return rows;
}

export async function close(db: Kysely<Tables>, fire: ClosableFire): Promise<void> {
  await sql`
    with closed as (
      update schedule_fires f set closed_at = now(), close_after = now(), close_failures = 0
      where ${isNamed(fire)} and f.outcome = ${fire.outcome}
    )
    update schedule_fires f set due_at = now()
    where ${belongsTo(fire)} and f.at <> ${fire.at}::timestamptz
      and f.closed_at is null and f.opened_at is not null and f.outcome = 'pending' and f.due_at > now()
  `.execute(db);
}

/** Records the first time at which something has happened to fires. */
export async function markNow(
  db: Kysely<Tables>,
  name: 'asked_at' | 'sent_at',
  schedule: ScheduleReference,
  times: readonly string[],
): Promise<void> {
  const column = sql.ref(name);
  await sql`
    update schedule_fires f set ${column} = coalesce(f.${column}, now())
    where ${belongsTo(schedule)} and f.at in (${sql.join(times.map((at) => sql`${at}::timestamptz`))})
  `.execute(db);
}
