import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { RunStatus } from '../../graph/run/index.ts';
import type { Tables } from '../tables.ts';
import type { Fire, FireOutcome, FireResult, RecordedFire, ScheduleReference } from './schedule.ts';

/** The recorded fires of schedules. They are kept after the deletion of their runs. */
export interface ScheduleFires {
  /**
   * Records fires that a person requests, before Temporal is asked for them. A backfill requests a recorded time again
   * if it has started no run; all other recorded times are not changed.
   */
  request(schedule: ScheduleReference, fires: readonly Fire[]): Promise<void>;
  /**
   * Records that Temporal has started the workflow of a fire.
   * @param runId the id of the fire's run, unless it has one
   * @returns false when the fire is already decided or its schedule is deleted, so that the workflow has nothing to
   * wait for
   */
  open(fire: FireWorkflow, runId: string): Promise<boolean>;
  /** Records that Temporal requests the cancellation of a fire's run. */
  requestCancel(fire: FireWorkflow): Promise<void>;
  /**
   * Claims due fires for one process until a time. Tenants alternate: the first fire of each tenant comes before all
   * second ones.
   */
  claim(limit: number, until: string): Promise<readonly DueFire[]>;
  /** Records the result of a fire that has none, and ends its claim. */
  decide(fire: FireReference, result: FireResult): Promise<void>;
  /** Records that the requested cancellation of the run was answered, and ends its claim. */
  cancelAnswered(fire: FireReference): Promise<void>;
  /** Records that the workflow of a fire has ended. */
  close(fire: FireReference): Promise<void>;
  /** Ends the claim of a fire and delays it until a time. */
  postpone(fire: FireReference, until: string): Promise<void>;
  /** Returns those of some times that were requested and whose workflow Temporal has not started. */
  unopened(schedule: ScheduleReference, times: readonly string[]): Promise<readonly string[]>;
  /** Returns true while a fire of a schedule waits for its result or for the end of its run. */
  isBusy(schedule: ScheduleReference): Promise<boolean>;
  find(fire: FireReference): Promise<RecordedFire | null>;
  /** Returns the time of the oldest of the last fires of a schedule. @returns `null` when it has fewer fires */
  oldestOf(schedule: ScheduleReference, last: number): Promise<string | null>;
  /** Lists the last fires of several schedules by schedule id, latest first. */
  latest(schedules: readonly ScheduleReference[], count: number): Promise<ReadonlyMap<string, readonly RecordedFire[]>>;
  /** Deletes decided fires, except the last ones of each schedule and those whose runs have not ended. */
  forgetOld(keep: number): Promise<void>;
}

/** Identifies a fire of a schedule. */
export interface FireReference {
  readonly tenantId: string;
  readonly scheduleId: string;
  /** RFC 3339. */
  readonly at: string;
}

/** A fire whose workflow Temporal has started. */
export interface FireWorkflow extends FireReference {
  readonly workflowId: string;
}

/** A fire that must be handled. */
export interface DueFire extends FireReference, Fire {
  readonly outcome: FireOutcome;
  /** `null` when Temporal has not started the workflow although it was asked to some time ago. */
  readonly workflowId: string | null;
  /**
   * True when the workflow has nothing to wait for: its run has ended or will never start, or its schedule is deleted.
   */
  readonly isOver: boolean;
}

/** The time that Temporal has to start the workflow of a requested fire. */
const STARTED_WITHIN = sql`interval '30 seconds'`;

export function createScheduleFires(db: Kysely<Tables>): ScheduleFires {
  const update = async (fire: FireReference, change: ReturnType<typeof sql>, condition = sql`true`): Promise<void> =>
    void (await sql`update schedule_fires f set ${change} where ${isNamed(fire)} and ${condition}`.execute(db));
  return {
    request: (schedule, fires) => request(db, schedule, fires),
    open: (fire, runId) => open(db, fire, runId),
    requestCancel: ({ workflowId, ...fire }) =>
      update(fire, sql`cancel_requested = true`, sql`workflow_id = ${workflowId}`),
    claim: (limit, until) => claim(db, limit, until),
    decide: (fire, { outcome, code = null, message = null }) =>
      update(
        fire,
        sql`outcome = ${outcome}, code = ${code}, message = ${message}, claimed_until = '-infinity'`,
        sql`outcome = 'pending'`,
      ),
    cancelAnswered: (fire) => update(fire, sql`cancel_requested = false, claimed_until = '-infinity'`),
    close: (fire) => update(fire, sql`workflow_id = null, cancel_requested = false`),
    postpone: (fire, until) => update(fire, sql`claimed_until = ${until}::timestamptz`),
    async find(fire) {
      const { rows } = await sql<FireRow>`${RECORDED} where ${isNamed(fire)}`.execute(db);
      return rows[0] ? toRecorded(rows[0]) : null;
    },
    isBusy: (schedule) => isBusy(db, schedule),
    unopened: (schedule, times) => unopened(db, schedule, times),
    oldestOf: (schedule, last) => oldestOf(db, schedule, last),
    latest: (schedules, count) => latest(db, schedules, count),
    forgetOld: (keep) => forgetOld(db, keep),
  };
}

function firesOf(db: Kysely<Tables>, { tenantId, id }: ScheduleReference) {
  return db.selectFrom('schedule_fires').where('tenant_id', '=', tenantId).where('schedule_id', '=', id);
}

async function isBusy(db: Kysely<Tables>, { tenantId, id }: ScheduleReference): Promise<boolean> {
  const { rows } = await sql`
    select from schedule_fires f left join runs r on r.id = f.run_id and r.ended_at is null
    where f.tenant_id = ${tenantId} and f.schedule_id = ${id} and f.workflow_id is not null
      and (f.outcome = 'pending' or f.outcome = 'started' and r.id is not null)
    limit 1
  `.execute(db);
  return rows.length > 0;
}

async function unopened(
  db: Kysely<Tables>,
  schedule: ScheduleReference,
  times: readonly string[],
): Promise<readonly string[]> {
  const dates = times.map((at) => new Date(at));
  const requested = firesOf(db, schedule).where('outcome', '=', 'pending').where('workflow_id', 'is', null);
  const rows = await requested.select('at').where('at', 'in', dates).orderBy('at').execute();
  return rows.map(({ at }) => at.toISOString());
}

async function oldestOf(db: Kysely<Tables>, schedule: ScheduleReference, last: number): Promise<string | null> {
  const newestFirst = firesOf(db, schedule).select('at').orderBy('at', 'desc');
  const oldest = await newestFirst
    .offset(last - 1)
    .limit(1)
    .executeTakeFirst();
  return oldest ? oldest.at.toISOString() : null;
}

/** Selects the row `f` of a fire. */
function isNamed({ tenantId, scheduleId, at }: FireReference) {
  return sql`f.tenant_id = ${tenantId} and f.schedule_id = ${scheduleId} and f.at = ${at}::timestamptz`;
}

async function request(db: Kysely<Tables>, { tenantId, id }: ScheduleReference, fires: readonly Fire[]): Promise<void> {
  if (fires.length === 0) return;
  const rows = fires.map(({ at, kind, runId }) => sql`(${at}::timestamptz, ${kind}::text, ${runId}::text)`);
  await sql`
    insert into schedule_fires as f (tenant_id, schedule_id, at, kind, run_id, outcome, claimed_until)
    select s.tenant_id, s.id, given.at, given.kind, given.run_id, 'pending', now() + ${STARTED_WITHIN}
    from schedules s, (values ${sql.join(rows)}) as given (at, kind, run_id)
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
    on conflict (tenant_id, schedule_id, at) do update
    set kind = 'backfill', outcome = 'pending', code = null, message = null, claimed_until = excluded.claimed_until
    where excluded.kind = 'backfill' and f.outcome in ('skipped', 'failed') and f.workflow_id is null
  `.execute(db);
}

/** If Temporal starts the workflow late, a fire that was already recorded as skipped is reset. */
async function open(db: Kysely<Tables>, { workflowId, ...fire }: FireWorkflow, runId: string): Promise<boolean> {
  const { tenantId, scheduleId, at } = fire;
  await sql`
    insert into schedule_fires as f (tenant_id, schedule_id, at, kind, run_id, outcome, workflow_id)
    select s.tenant_id, s.id, ${at}::timestamptz, 'time', ${runId}, 'pending', ${workflowId}
    from schedules s where s.tenant_id = ${tenantId} and s.id = ${scheduleId} and s.deleted_at is null
    on conflict (tenant_id, schedule_id, at) do update
    set workflow_id = excluded.workflow_id, outcome = 'pending', code = null, message = null,
      claimed_until = '-infinity'
    where f.workflow_id is null and (f.outcome = 'pending' or f.code = 'OVERLAP')
  `.execute(db);
  const { rows } = await sql`
    select from schedule_fires f where ${isNamed(fire)} and f.workflow_id = ${workflowId}
  `.execute(db);
  return rows.length > 0;
}

async function claim(db: Kysely<Tables>, limit: number, until: string): Promise<readonly DueFire[]> {
  const { rows } = await sql<Omit<DueFire, 'at'> & { readonly at: Date }>`
    with due as (
      select f.tenant_id, f.schedule_id, f.at,
        s.id is null or s.deleted_at is not null
          or (f.outcome <> 'pending' and (f.outcome <> 'started' or r.id is null or r.ended_at is not null)) as is_over,
        row_number() over (partition by f.tenant_id order by f.claimed_until, f.at) as rank
      from schedule_fires f
      left join schedules s on s.tenant_id = f.tenant_id and s.id = f.schedule_id
      left join runs r on r.id = f.run_id
      where f.claimed_until <= now() and (
        f.outcome = 'pending'
        or f.workflow_id is not null and (
          f.cancel_requested or f.outcome <> 'started' or r.id is null or r.ended_at is not null
          or s.id is null or s.deleted_at is not null
        )
      )
    )
    update schedule_fires f set claimed_until = ${until}::timestamptz
    from (select * from due order by rank limit ${limit}) as d
    where f.tenant_id = d.tenant_id and f.schedule_id = d.schedule_id and f.at = d.at and f.claimed_until <= now()
    returning f.tenant_id as "tenantId", f.schedule_id as "scheduleId", f.at, f.kind, f.run_id as "runId",
      f.outcome, f.workflow_id as "workflowId", d.is_over as "isOver"
  `.execute(db);
  return rows.map(({ at, ...fire }) => ({ ...fire, at: at.toISOString() }));
}

interface FireRow extends Fire {
  readonly schedule_id: string;
  readonly fired_at: Date;
  readonly outcome: FireOutcome;
  readonly code: string | null;
  readonly message: string | null;
  readonly status: RunStatus | null;
  readonly is_open: boolean;
}

const RECORDED = sql`
  select f.schedule_id, f.at as fired_at, f.kind, f.run_id as "runId", f.outcome, f.code, f.message, r.status,
    f.workflow_id is not null as is_open
  from schedule_fires f left join runs r on r.id = f.run_id and f.outcome = 'started'`;

function toRecorded({ fired_at, kind, runId, outcome, code, message, status, is_open: isOpen }: FireRow): RecordedFire {
  return { at: fired_at.toISOString(), kind, runId, outcome, code, message, status, isOpen };
}

async function latest(
  db: Kysely<Tables>,
  schedules: readonly ScheduleReference[],
  count: number,
): Promise<ReadonlyMap<string, readonly RecordedFire[]>> {
  const found = new Map<string, RecordedFire[]>(schedules.map(({ id }) => [id, []]));
  if (schedules.length === 0) return found;
  const wanted = schedules.map(({ tenantId, id }) => sql`(${tenantId}::text, ${id}::text)`);
  const { rows } = await sql<FireRow>`
    select last.* from (values ${sql.join(wanted)}) as wanted (tenant_id, id) cross join lateral (
      ${RECORDED} where f.tenant_id = wanted.tenant_id and f.schedule_id = wanted.id order by f.at desc limit ${count}
    ) as last
  `.execute(db);
  for (const row of rows) found.get(row.schedule_id)?.push(toRecorded(row));
  return found;
}

async function forgetOld(db: Kysely<Tables>, keep: number): Promise<void> {
  await sql`
    delete from schedule_fires f using (
      select tenant_id, schedule_id, at,
        row_number() over (partition by tenant_id, schedule_id order by at desc) as age
      from schedule_fires
    ) as ranked
    where f.tenant_id = ranked.tenant_id and f.schedule_id = ranked.schedule_id and f.at = ranked.at
      and ranked.age > ${keep} and f.outcome <> 'pending' and f.workflow_id is null
      and not exists (select from runs r where r.id = f.run_id and r.ended_at is null)
  `.execute(db);
}
