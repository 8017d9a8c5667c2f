import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { RunStatus } from '../../graph/run/index.ts';
import type { Tables } from '../tables.ts';
import { TICK_KINDS } from './schedule.ts';
import type { ScheduleReference, TakenTick, Tick, TickKind, TickOutcome, TickResult } from './schedule.ts';

/** The times that schedules have taken. They outlive the runs that they have started. */
export interface ScheduleTicks {
  /** Takes times; one that is taken already, or whose schedule is deleted, changes nothing. */
  take(schedule: ScheduleReference, ticks: readonly Tick[]): Promise<void>;
  /**
   * Schedules with ticks that wait, and that no process has claimed at the moment. The first of each tenant come first,
   * then the second ones.
   */
  due(most: DueMost): Promise<readonly ScheduleReference[]>;
  /** Lets one process decide about the ticks of a schedule until a time. @returns false when another one does */
  claim(schedule: ScheduleReference, until: string): Promise<boolean>;
  /** Ends a claim, unless another process has claimed the schedule since. */
  release(schedule: ScheduleReference, claim: ReleasedClaim): Promise<void>;
  /**
   * The ticks that wait, the oldest first.
   * @param limit of each kind, so that none hides another
   */
  pending(schedule: ScheduleReference, limit: number): Promise<readonly Tick[]>;
  /** The ids of the runs of a schedule that are not over. */
  activeRuns(schedule: ScheduleReference): Promise<readonly string[]>;
  /** Says what has become of a tick that waits; a settled one stays as it is. */
  settle(schedule: ScheduleReference, tick: Tick, result: TickResult): Promise<void>;
  find(schedule: ScheduleReference, at: string): Promise<TakenTick | null>;
  /** The time of the oldest of the last ticks of a schedule. @returns `null` when it has fewer */
  oldestOf(schedule: ScheduleReference, last: number): Promise<string | null>;
  /** The last ticks of each of some schedules by their ids, the latest first. */
  latest(schedules: readonly ScheduleReference[], count: number): Promise<ReadonlyMap<string, readonly TakenTick[]>>;
  /** Deletes settled ticks of each schedule but the last ones, and those whose runs are not over. */
  forgetOld(keep: number): Promise<void>;
}

export interface DueMost {
  readonly all: number;
  readonly ofTenant: number;
}

export interface ReleasedClaim {
  /** The end of the claim, as it was claimed. */
  readonly claimedUntil: string;
  /** When the next process may decide. */
  readonly until: string;
}

export function createScheduleTicks(db: Kysely<Tables>): ScheduleTicks {
  return {
    take: (schedule, ticks) => take(db, schedule, ticks),
    due: (most) => due(db, most),
    ...createTurns(db),
    pending: (schedule, limit) => pending(db, schedule, limit),
    async activeRuns(schedule) {
      const rows = await ticksOf(db, schedule)
        .innerJoin('runs', 'runs.id', 'schedule_ticks.run_id')
        .select('runs.id')
        .where('outcome', '=', 'started')
        .where('runs.ended_at', 'is', null)
        .execute();
      return rows.map(({ id }) => id);
    },
    async find({ tenantId, id }, at) {
      const { rows } = await sql<TickRow>`
        ${SHOWN} where t.tenant_id = ${tenantId} and t.schedule_id = ${id} and t.at = ${at}::timestamptz
      `.execute(db);
      return rows[0] ? toTaken(rows[0]) : null;
    },
    async oldestOf(schedule, last) {
      const ticks = ticksOf(db, schedule).select('at').orderBy('at', 'desc');
      const oldest = await ticks
        .offset(last - 1)
        .limit(1)
        .executeTakeFirst();
      return oldest ? oldest.at.toISOString() : null;
    },
    latest: (schedules, count) => latest(db, schedules, count),
    forgetOld: (keep) => forgetOld(db, keep),
  };
}

/** Lets one process at a time decide about the ticks of a schedule. */
function createTurns(db: Kysely<Tables>): Pick<ScheduleTicks, 'claim' | 'release' | 'settle'> {
  const leased = (until: string, { tenantId, id }: ScheduleReference) =>
    db.updateTable('schedules').set({ lease_until: until }).where('tenant_id', '=', tenantId).where('id', '=', id);
  return {
    async claim(schedule, until) {
      const free = leased(until, schedule).where('lease_until', '<=', new Date());
      return (await free.executeTakeFirst()).numUpdatedRows === 1n;
    },
    async release(schedule, { claimedUntil, until }) {
      await leased(until, schedule).where('lease_until', '=', new Date(claimedUntil)).execute();
    },
    async settle({ tenantId, id }, { at }, { outcome, code = null, message = null }) {
      await db
        .updateTable('schedule_ticks')
        .set({ outcome, code, message })
        .where('tenant_id', '=', tenantId)
        .where('schedule_id', '=', id)
        .where('at', '=', new Date(at))
        .where('outcome', '=', 'pending')
        .execute();
    },
  };
}

function ticksOf(db: Kysely<Tables>, { tenantId, id }: ScheduleReference) {
  return db
    .selectFrom('schedule_ticks')
    .where('schedule_ticks.tenant_id', '=', tenantId)
    .where('schedule_ticks.schedule_id', '=', id);
}

async function pending(db: Kysely<Tables>, schedule: ScheduleReference, limit: number): Promise<readonly Tick[]> {
  const ofKind = async (kind: TickKind) =>
    await ticksOf(db, schedule)
      .select(['at', 'kind', 'run_id as runId'])
      .where('outcome', '=', 'pending')
      .where('kind', '=', kind)
      .orderBy('at')
      .limit(limit)
      .execute();
  return (await Promise.all(TICK_KINDS.map(ofKind)))
    .flat()
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, ...tick }) => ({ at: at.toISOString(), ...tick }));
}

async function take(db: Kysely<Tables>, { tenantId, id }: ScheduleReference, ticks: readonly Tick[]): Promise<void> {
  if (ticks.length === 0) return;
  const rows = ticks.map(({ at, kind, runId }) => sql`(${at}::timestamptz, ${kind}::text, ${runId}::text)`);
  await sql`
    insert into schedule_ticks (tenant_id, schedule_id, at, kind, run_id, outcome)
    select s.tenant_id, s.id, given.at, given.kind, given.run_id, 'pending'
    from schedules s, (values ${sql.join(rows)}) as given (at, kind, run_id)
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
    on conflict do nothing
  `.execute(db);
}

async function due(db: Kysely<Tables>, { all, ofTenant }: DueMost): Promise<readonly ScheduleReference[]> {
  const { rows } = await sql<ScheduleReference>`
    with due as (select distinct schedule_id from schedule_ticks where outcome = 'pending'),
    placed as (
      select s.tenant_id, s.id, s.lease_until,
        row_number() over (partition by s.tenant_id order by s.lease_until, s.id) as place
      from due join schedules s on s.id = due.schedule_id
      where s.deleted_at is null and s.lease_until <= now()
    )
    select tenant_id as "tenantId", id from placed where place <= ${ofTenant}
    order by place, lease_until, id limit ${all}
  `.execute(db);
  return rows;
}

interface TickRow extends Tick {
  readonly schedule_id: string;
  readonly taken_at: Date;
  readonly outcome: TickOutcome;
  readonly code: string | null;
  readonly message: string | null;
  readonly status: RunStatus | null;
}

const SHOWN = sql`
  select t.schedule_id, t.at as taken_at, t.kind, t.run_id as "runId", t.outcome, t.code, t.message, r.status
  from schedule_ticks t left join runs r on r.id = t.run_id and t.outcome = 'started'`;

function toTaken({ taken_at, kind, runId, outcome, code, message, status }: TickRow): TakenTick {
  return { at: taken_at.toISOString(), kind, runId, outcome, code, message, status };
}

async function latest(
  db: Kysely<Tables>,
  schedules: readonly ScheduleReference[],
  count: number,
): Promise<ReadonlyMap<string, readonly TakenTick[]>> {
  const found = new Map<string, TakenTick[]>(schedules.map(({ id }) => [id, []]));
  if (schedules.length === 0) return found;
  const wanted = schedules.map(({ tenantId, id }) => sql`(${tenantId}::text, ${id}::text)`);
  const { rows } = await sql<TickRow>`
    select last.* from (values ${sql.join(wanted)}) as wanted (tenant_id, id) cross join lateral (
      ${SHOWN} where t.tenant_id = wanted.tenant_id and t.schedule_id = wanted.id order by t.at desc limit ${count}
    ) as last
  `.execute(db);
  for (const row of rows) found.get(row.schedule_id)?.push(toTaken(row));
  return found;
}

async function forgetOld(db: Kysely<Tables>, keep: number): Promise<void> {
  await sql`
    delete from schedule_ticks t using (
      select tenant_id, schedule_id, at,
        row_number() over (partition by tenant_id, schedule_id order by at desc) as age
      from schedule_ticks
    ) as ranked
    where t.tenant_id = ranked.tenant_id and t.schedule_id = ranked.schedule_id and t.at = ranked.at
      and ranked.age > ${keep} and t.outcome <> 'pending'
      and not exists (select from runs r where r.id = t.run_id and r.ended_at is null)
  `.execute(db);
}
