import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
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
import { belongsTo, FIRES_WITH_RUNS, inMs, isClaimed, isNamed, iso, RECORDED } from './fire-sql.ts';
import { activeBeside, claim, close, idleSince, isPassedOver, markNow, open, over } from './open-fires.ts';
import type { Fire, FireResult, RecordedFire, ScheduleReference } from './schedule.ts';

/** The fires of schedules. All times that a process waits for are by the clock of the database. */
export interface ScheduleFires {
  /**
   * Records fires that a person asks for. One that is recorded already stays as it is, but a backfill takes a time again that
   * has started no run.
   * @param dueInMs nobody claims them before
   * @returns the times that are pending by this request
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
  /**
   * Records the result of a pending fire, unless it was opened or canceled after the claim. A started run is recorded in any
   * case, also of a fire that a later claim has refused; that fire is then open again, so that its run can be canceled.
   */
  settle(fire: DueFire, result: FireResult): Promise<void>;
  /** Ends a claim until a time, unless the fire was opened or canceled after the claim. */
  postpone(fire: DueFire, ms: number): Promise<void>;
  /**
   * Lists the open fires, the oldest first, whose run has ended or will never start, or whose schedule is deleted. Those that
   * could not be closed are left out for some time.
   */
  over(limit: number): Promise<readonly UnclosedFire[]>;
  /** Records that a fire could not be closed. @param ms `over` leaves it out for so long */
  postponeClose(fire: FireReference, ms: number): Promise<void>;
  /**
   * Records that nothing is left to do for a fire, unless its outcome has changed. Pending ones of its schedule, which may wait
   * for it, are due then.
   */
  close(fire: ClosableFire): Promise<void>;
  /** True if Temporal has opened another fire of the schedule although this one was sent some seconds before. */
  isPassedOver(fire: FireReference): Promise<boolean>;
  /**
   * Since when no earlier fire of the schedule was open when the workflow of a fire was started.
   * @param mayOverlap if true, the time of the last earlier fire
   * @returns `null` without earlier fires
   */
  idleSince(fire: OverFire, mayOverlap: boolean): Promise<string | null>;
  /** The other fires of the schedule that are open and pending, or whose run has not ended. */
  activeBeside(fire: FireReference): Promise<readonly ActiveFire[]>;
  find(fire: FireReference): Promise<RecordedFire | null>;
  /** The time of the oldest of the last fires of a schedule. @returns `null` when it has fewer */
  oldestOf(schedule: ScheduleReference, last: number): Promise<string | null>;
  /** The last fires of each of some schedules by their ids, the latest first. */
  latest(schedules: readonly ScheduleReference[], count: number): Promise<ReadonlyMap<string, readonly RecordedFire[]>>;
  /**
   * Deletes closed fires of some schedules but the last ones, and those whose runs have not ended.
   * @param after the id of a schedule: those after it are looked at
   * @returns the id of the last of these schedules; `null` when there are no more
   */
  forgetOld(keep: number, after: string): Promise<string | null>;
}

/** @internal */
export function createScheduleFires(db: Kysely<Tables>): ScheduleFires {
  return {
    request: (schedule, fires, dueInMs) =>
      insert(db, schedule, fires, {
        state: sql`'pending', null, null, null::timestamptz, ${inMs(dueInMs)}`,
        otherwise: REQUESTED_AGAIN,
      }),
    async skip(schedule, fires, { outcome, code = null, message = null }) {
      const state = sql`${outcome}::text, ${code}::text, ${message}::text, now(), now()`;
      await insert(db, schedule, fires, { state, otherwise: sql`nothing` });
    },
    open: (fire) => open(db, fire),
    claim: (work, limit, schedule) => claim(db, work, { limit, schedule }),
    markAsked: (schedule, times) => markNow(db, 'asked_at', schedule, times),
    markSent: (schedule, times) => markNow(db, 'sent_at', schedule, times),
    async settle(fire, { outcome, code = null, message = null }) {
      const isUnsettled =
        outcome === 'started'
          ? sql`${isNamed(fire)} and f.outcome <> 'started'`
          : sql`${isClaimed(fire)} and f.outcome = 'pending'`;
      await sql`
        update schedule_fires f set outcome = ${outcome}, code = ${code}, message = ${message}, due_at = now(),
          closed_at = case when f.opened_at is null then now() end
        where ${isUnsettled}
      `.execute(db);
    },
    async postpone(fire, ms) {
      await sql`update schedule_fires f set due_at = ${inMs(ms)} where ${isClaimed(fire)}`.execute(db);
    },
    over: (limit) => over(db, limit),
    async postponeClose(fire, ms) {
      await sql`
        update schedule_fires f set close_after = ${inMs(ms)}, close_failures = f.close_failures + 1 where ${isNamed(fire)}
      `.execute(db);
    },
    close: (fire) => close(db, fire),
    activeBeside: (fire) => activeBeside(db, fire),
    idleSince: (fire, mayOverlap) => idleSince(db, fire, mayOverlap),
    isPassedOver: (fire) => isPassedOver(db, fire),
    async find(fire) {
      const query = sql<RecordedFire>`select ${RECORDED} from ${FIRES_WITH_RUNS} where ${isNamed(fire)}`;
      return (await query.execute(db)).rows[0] ?? null;
    },
    oldestOf: (schedule, last) => oldestOf(db, schedule, last),
    latest: (schedules, count) => latest(db, schedules, count),
    forgetOld: (keep, after) => forgetOld(db, keep, after),
  };
}

interface NewFires {
  /** The values of `outcome`, `code`, `message`, `closed_at` and `due_at`. */
  readonly state: RawBuilder<unknown>;
  /** What is done with a time that is recorded already. */
  readonly otherwise: RawBuilder<unknown>;
}

/** A backfill takes times that have started no run. The id of the run stays: it may have been accepted after all. */
const REQUESTED_AGAIN = sql`
  update set kind = excluded.kind, outcome = excluded.outcome, code = null, message = null, asked_at = null, sent_at = null,
    opened_at = null, canceled_at = null, closed_at = null, due_at = excluded.due_at
  where excluded.kind = 'backfill' and f.closed_at is not null and f.outcome in ('skipped', 'failed')
`;

/** @returns the times that were added or changed */
async function insert(
  db: Kysely<Tables>,
  { tenantId, id }: ScheduleReference,
  fires: readonly Fire[],
  { state, otherwise }: NewFires,
): Promise<readonly string[]> {
  if (fires.length === 0) return [];
  const given = fires.map(({ at, kind, runId }) => sql`(${at}::timestamptz, ${kind}::text, ${runId}::text)`);
  const { rows } = await sql<Pick<Fire, 'at'>>`
    insert into schedule_fires as f (tenant_id, schedule_id, at, kind, run_id, outcome, code, message, closed_at, due_at)
    select s.tenant_id, s.id, given.at, given.kind, given.run_id, ${state}
    from schedules s, (values ${sql.join(given)}) as given (at, kind, run_id)
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.deleted_at is null
    on conflict (tenant_id, schedule_id, at) do ${otherwise}
    returning ${iso('at')} as at
  `.execute(db);
  return rows.map(({ at }) => at).toSorted();
}

async function oldestOf(db: Kysely<Tables>, schedule: ScheduleReference, last: number): Promise<string | null> {
  const { rows } = await sql<{ readonly at: string }>`
    select ${iso('at')} as at from schedule_fires f where ${belongsTo(schedule)} order by f.at desc offset ${last - 1} limit 1
  `.execute(db);
  return rows[0]?.at ?? null;
}

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

/** Bounds a statement that deletes fires. */
const SCHEDULES_AT_ONCE = 50;
const FIRES_OF_ONE_AT_ONCE = 1_000;

async function forgetOld(db: Kysely<Tables>, keep: number, after: string): Promise<string | null> {
  const { rows } = await sql<{ readonly last: string | null }>`
    with batch as (
      select s.tenant_id, s.id from schedules s where s.id > ${after} order by s.id limit ${SCHEDULES_AT_ONCE}
    ), old as (
      select f.tenant_id, f.schedule_id, f.at from batch cross join lateral (
        select f.at from schedule_fires f where f.tenant_id = batch.tenant_id and f.schedule_id = batch.id
        order by f.at desc offset ${keep} limit 1
      ) as newest cross join lateral (
        select f.* from schedule_fires f
        where f.tenant_id = batch.tenant_id and f.schedule_id = batch.id and f.at <= newest.at
          and f.closed_at is not null and not exists (select from runs r where r.id = f.run_id and r.ended_at is null)
        order by f.at limit ${FIRES_OF_ONE_AT_ONCE}
      ) as f
    ), forgotten as (
      delete from schedule_fires f using old
      where f.tenant_id = old.tenant_id and f.schedule_id = old.schedule_id and f.at = old.at
    )
    select max(batch.id) as last from batch
  `.execute(db);
  return rows[0]?.last ?? null;
}
