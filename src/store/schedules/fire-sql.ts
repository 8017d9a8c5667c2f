import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { DueFire, FireReference } from './fire.ts';
import type { ScheduleReference } from './schedule.ts';

/* Parts of statements. Each condition is about a row `f` of `schedule_fires`. */

export function belongsTo({ tenantId, id }: ScheduleReference) {
  return sql`f.tenant_id = ${tenantId} and f.schedule_id = ${id}`;
}

export function isNamed(fire: FireReference) {
  return sql`${belongsTo(fire)} and f.at = ${fire.at}::timestamptz`;
}

/** Nothing has happened to a fire since it was claimed, for which the next claim must come at once. */
export function isClaimed(fire: DueFire) {
  const { isCanceled, openedAt } = fire;
  return sql`${isNamed(fire)} and (f.canceled_at is not null) = ${isCanceled} and (f.opened_at is null) = ${openedAt === null}`;
}

/** Selects a time as RFC 3339. */
export const iso = (column: 'at' | 'opened_at') => toIso(sql.ref(`f.${column}`));

/** Formats a time as RFC 3339. */
export const toIso = (time: RawBuilder<unknown>) =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / 1_000}::float8)`;

export const RECORDED = sql`${iso('at')} as at, f.kind, f.run_id as "runId", f.outcome, f.code, f.message, r.status`;
export const FIRES_WITH_RUNS = sql`schedule_fires f left join runs r on r.id = f.run_id and f.outcome = 'started'`;
