import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { Fire, FireOutcome, FireResult, RecordedFire, ScheduleReference } from './schedule.ts';

/** A fire of a schedule. */
export interface FireReference extends ScheduleReference {
  /** RFC 3339. */
  readonly at: string;
}

/** A fire whose workflow Temporal has started. */
export interface OpenedFire extends FireReference {
  /** The id of its run, unless the fire is recorded with another one. */
  readonly runId: string;
  /** When the workflow was started. */
  readonly openedAt: string;
  /** The workflow was started so long ago that the fire is lost, unless a person has asked for it. */
  readonly isLate: boolean;
  /** Temporal has canceled the workflow. */
  readonly isCanceled: boolean;
}

/** An open fire that has nothing to wait for. */
export interface OverFire extends FireReference {
  /** When its workflow was started. */
  readonly openedAt: string;
}

/** A fire that one process has claimed, as it is at that moment. */
export interface DueFire extends FireReference, Fire {
  readonly outcome: FireOutcome;
  /** Temporal was asked for it, and may have received that. */
  readonly isAsked: boolean;
  /** Temporal has received the request of a person for it. */
  readonly isSent: boolean;
  /** When Temporal has started its workflow; `null` before that. */
  readonly openedAt: string | null;
  /** Temporal has canceled its workflow, so that another fire takes its place. */
  readonly isCanceled: boolean;
  /** The milliseconds since its workflow was canceled, or else opened, or else since it was sent. */
  readonly waitedMs: number;
}

/** What is to be done for a fire: its run is canceled, or something else. */
export type FireWork = 'cancel' | 'other';

/** The fires of schedules. All times that a process waits for are by the clock of the database. */
export interface ScheduleFires {
  /**
   * Records fires that a person asks for; one that is recorded already stays as it is.
   * @param dueInMs nobody claims them before
   * @returns the times that were not recorded before
   */
  request(schedule: ScheduleReference, fires: readonly Fire[], dueInMs: number): Promise<readonly string[]>;
  /** Records times that Temporal has skipped; a fire that is recorded already stays as it is. */
  skip(schedule: ScheduleReference, fires: readonly Fire[], result: FireResult): Promise<void>;
  /**
   * Records that the workflow of a fire is open. A fire that was recorded as skipped before is pending again.
   * @returns false when the fire is closed or lost, or its schedule is deleted
   */
  open(fire: OpenedFire): Promise<boolean>;
  /**
   * Claims fires for which something is to be done, for one minute. The oldest one of each tenant comes first, then the
   * second ones.
   * @param schedule the only schedule whose fires are claimed
   */
  claim(work: FireWork, limit: number, schedule?: ScheduleReference): Promise<readonly DueFire[]>;
  /** Records that Temporal is about to be asked for fires. */
  markAsked(schedule: ScheduleReference, times: readonly string[]): Promise<void>;
  /** Records that Temporal has received requests for fires. */
  markSent(schedule: ScheduleReference, times: readonly string[]): Promise<void>;
  /** Records the result of a pending fire, unless it was opened or canceled after the claim. */
  settle(fire: DueFire, result: FireResult): Promise<void>;
  /** Ends a claim until a time, unless the fire was opened or canceled after the claim. */
  postpone(fire: DueFire, ms: number): Promise<void>;
  /** Lists the open fires whose run has ended or will never start, or whose schedule is deleted. */
  over(limit: number): Promise<readonly OverFire[]>;
  /** Records that nothing is left to do for a fire. */
  close(fire: FireReference): Promise<void>;
  /** True if Temporal has opened another fire of the schedule although this one was sent some seconds before. */
  isPassedOver(fire: FireReference): Promise<boolean>;
  /** The other fires of the schedule that are open and pending, or whose run has not ended. */
  activeBeside(fire: FireReference): Promise<readonly Pick<RecordedFire, 'runId' | 'outcome'>[]>;
  find(fire: FireReference): Promise<RecordedFire | null>;
  /** The time of the oldest of the last fires of a schedule. @returns `null` when it has fewer */
  oldestOf(schedule: ScheduleReference, last: number): Promise<string | null>;
  /** The last fires of each of some schedules by their ids, the latest first. */
  latest(schedules: readonly ScheduleReference[], count: number): Promise<ReadonlyMap<string, readonly RecordedFire[]>>;
  /** Deletes closed fires of each schedule but the last ones, and those whose runs have not ended. */
  forgetOld(keep: number): Promise<void>;
}

export function createScheduleFires(db: Kysely<Tables>): ScheduleFires {
  return {
    request: (schedule, fires, dueInMs) =>
      insert(db, schedule, fires, sql`'pending', null, null, null::timestamptz, ${inMs(dueInMs)}`),
    async skip(schedule, fires, { outcome, code = null, message = null }) {
      await insert(db, schedule, fires, sql`${outcome}::text, ${code}::text, ${message}::text, now(), now()`);
    },
    open: (fire) => open(db, fire),
    claim: (work, limit, schedule) => claim(db, work, { limit, schedule }),
    markAsked: (schedule, times) => markNow(db, 'asked_at', schedule, times),
    markSent: (schedule, times) => markNow(db, 'sent_at', schedule, times),
    async settle(fire, { outcome, code = null, message = null }) {
      await sql`
        update schedule_fires f set outcome = ${outcome}, code = ${code}, message = ${message}, due_at = now(),
          closed_at = case when f.opened_at is null then now() end
        where ${isClaimed(fire)} and f.outcome = 'pending'
      `.execute(db);
    },
    async postpone(fire, ms) {
      await sql`update schedule_fires f set due_at = ${inMs(ms)} where ${isClaimed(fire)}`.execute(db);
    },
    over: (limit) => over(db, limit),
    close: async (fire) =>
      void (await sql`update schedule_fires f set closed_at = now() where ${isNamed(fire)}`.execute(db)),
    async activeBeside(fire) {
      const { rows } = await sql<Pick<RecordedFire, 'runId' | 'outcome'>>`
        select f.run_id as "runId", f.outcome from schedule_fires f left join runs r on r.id = f.run_id
        where ${belongsTo(fire)} and f.at <> ${fire.at}::timestamptz and (
          (f.outcome = 'pending' and f.opened_at is not null) or (f.outcome = 'started' and r.id is not null and r.ended_at is null)
        )
      `.execute(db);
      return rows;
    },
    async isPassedOver(fire) {
      const { rows } = await sql`
        select from schedule_fires f join schedule_fires own
          on own.tenant_id = f.tenant_id and own.schedule_id = f.schedule_id and own.at = ${fire.at}::timestamptz
        where ${belongsTo(fire)} and f.at <> own.at
          and f.opened_at > own.sent_at + make_interval(secs => ${PASSED_OVER_AFTER_MS / 1_000}::float8)
        limit 1
      `.execute(db);
      return rows.length > 0;
    },
    async find(fire) {
      const query = sql<RecordedFire>`select ${RECORDED} from ${FIRES_WITH_RUNS} where ${isNamed(fire)}`;
      return (await query.execute(db)).rows[0] ?? null;
    },
    oldestOf: (schedule, last) => oldestOf(db, schedule, last),
    latest: (schedules, count) => latest(db, schedules, count),
    forgetOld: (keep) => forgetOld(db, keep),
  };
}

/** Fires that Temporal opens within this time may have left its buffer earlier. It is also the tolerance between clocks. */
const PASSED_OVER_AFTER_MS = 5_000;

/* Each condition is about a row `f`. */

function belongsTo({ tenantId, id }: ScheduleReference) {
  return sql`f.tenant_id = ${tenantId} and f.schedule_id = ${id}`;
}

function isNamed(fire: FireReference) {
  return sql`${belongsTo(fire)} and f.at = ${fire.at}::timestamptz`;
}

/** Nothing has happened to a fire since it was claimed, for which the next claim must come at once. */
function isClaimed(fire: DueFire) {
  const { isCanceled, openedAt } = fire;
  return sql`${isNamed(fire)} and (f.canceled_at is not null) = ${isCanceled} and (f.opened_at is null) = ${openedAt === null}`;
}

/** Records the first time at which something has happened to fires. */
async function markNow(
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

/** Selects a time as RFC 3339. */
const iso = (column: 'at' | 'opened_at') =>
  sql`to_char(${sql.ref(`f.${column}`)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / 1_000}::float8)`;

/**
 * @param state the values of `outcome`, `code`, `message`, `closed_at` and `due_at`
 * @returns the times that were not recorded before
 */
async function insert(
  db: Kysely<Tables>,
  { tenantId, id }: ScheduleReference,
  fires: readonly Fire[],
  state: ReturnType<typeof sql>,
): Promise<readonly string[]> {
  if (fires.length === 0) return [];
  const given = fires.map(({ at, kind, runId }) => sql`(${at}::timestamptz, ${kind}::text, ${runId}::text)`);
  const { rows } = await sql<Pick<Fire, 'at'>>`
    insert into schedule_fires as f (tenant_id, schedule_id, at, kind, run_id, outcome, code, message, closed_at, due_at)
    select s.tenant_id, s.id, given.at, given.kind, given.run_id, ${state}
    from schedules s, (values ${sql.join(given)}) as given (at, kind, run_id)
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
    on conflict do nothing
    returning ${iso('at')} as at
  `.execute(db);
  return rows.map(({ at }) => at).toSorted();
}

async function open(db: Kysely<Tables>, fire: OpenedFire): Promise<boolean> {
  const { tenantId, id, at, runId, openedAt, isLate, isCanceled } = fire;
  const { rows } = await sql`
    insert into schedule_fires as f (tenant_id, schedule_id, at, kind, run_id, opened_at, canceled_at)
    select s.tenant_id, s.id, ${at}::timestamptz, 'time', ${runId}::text, ${openedAt}::timestamptz,
      case when ${isCanceled}::boolean then now() end
    from schedules s
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
      and (not ${isLate}::boolean or exists (select from schedule_fires f where ${isNamed(fire)}))
    on conflict (tenant_id, schedule_id, at) do update set
      opened_at = coalesce(f.opened_at, excluded.opened_at),
      closed_at = null,
      outcome = case when f.closed_at is null then f.outcome else 'pending' end,
      code = case when f.closed_at is null then f.code end,
      message = case when f.closed_at is null then f.message end,
      canceled_at = coalesce(f.canceled_at, excluded.canceled_at),
      due_at = case when f.opened_at is null or excluded.canceled_at is not null then now() else f.due_at end
    where f.closed_at is null or (f.opened_at is null and f.outcome = 'skipped')
    returning f.at
  `.execute(db);
  return rows.length > 0;
}

interface Claim {
  readonly limit: number;
  readonly schedule: ScheduleReference | undefined;
}

async function claim(db: Kysely<Tables>, work: FireWork, { limit, schedule }: Claim): Promise<readonly DueFire[]> {
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

async function over(db: Kysely<Tables>, limit: number): Promise<readonly OverFire[]> {
  const { rows } = await sql<OverFire>`
    select f.tenant_id as "tenantId", f.schedule_id as id, ${iso('at')} as at, ${iso('opened_at')} as "openedAt"
    from schedule_fires f
    left join runs r on r.id = f.run_id
    left join schedules s on s.id = f.schedule_id and s.deleted_at is null
    where f.opened_at is not null and f.closed_at is null and (
      s.id is null or f.outcome in ('skipped', 'failed')
      or (f.outcome = 'started' and (r.id is null or r.ended_at is not null))
    )
    limit ${limit}
  `.execute(db);
  return rows;
}

async function oldestOf(db: Kysely<Tables>, schedule: ScheduleReference, last: number): Promise<string | null> {
  const { rows } = await sql<{ readonly at: string }>`
    select ${iso('at')} as at from schedule_fires f where ${belongsTo(schedule)} order by f.at desc offset ${last - 1} limit 1
  `.execute(db);
  return rows[0]?.at ?? null;
}

const RECORDED = sql`${iso('at')} as at, f.kind, f.run_id as "runId", f.outcome, f.code, f.message, r.status`;
const FIRES_WITH_RUNS = sql`schedule_fires f left join runs r on r.id = f.run_id and f.outcome = 'started'`;

async function latest(
  db: Kysely<Tables>,
  schedules: readonly ScheduleReference[],
  count: number,
): Promise<ReadonlyMap<string, readonly RecordedFire[]>> {
  const found = new Map<string, RecordedFire[]>(schedules.map(({ id }) => [id, []]));
  if (schedules.length === 0) return found;
  const wanted = schedules.map(({ tenantId, id }) => sql`(${tenantId}::text, ${id}::text)`);
  const { rows } = await sql<RecordedFire & { readonly scheduleId: string }>`
    select last.* from (values ${sql.join(wanted)}) as wanted (tenant_id, id) cross join lateral (
      select f.schedule_id as "scheduleId", ${RECORDED} from ${FIRES_WITH_RUNS}
      where f.tenant_id = wanted.tenant_id and f.schedule_id = wanted.id order by f.at desc limit ${count}
    ) as last
  `.execute(db);
  for (const { scheduleId, ...fire } of rows) found.get(scheduleId)?.push(fire);
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
      and ranked.age > ${keep} and f.closed_at is not null
      and not exists (select from runs r where r.id = f.run_id and r.ended_at is null)
  `.execute(db);
}
