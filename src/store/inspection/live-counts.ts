import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { RunStatus } from '../../graph/run/index.ts';
import { WAITS_FOR_INTERVENTION } from '../interventions.ts';
import type { Tables } from '../tables.ts';

/** What is there at the moment, over all tenants. */
export interface LiveCounts {
  /** The runs that have not ended, by status. */
  readonly runs: Partial<Readonly<Record<RunStatus, number>>>;
  readonly pendingApprovals: number;
  /** How long the oldest of these has been pending, in seconds; 0 if there is none. */
  readonly oldestApprovalSeconds: number;
  /** Calls with an unknown outcome that wait for a person. */
  readonly unknownOutcomes: number;
  /** Runs that Temporal does not have yet, without those that wait for their thread. */
  readonly pendingStarts: number;
  /** How long the oldest of these has been waiting, in seconds; 0 if there is none. */
  readonly oldestStartSeconds: number;
}

/** Counts by indexes that hold nothing else, so that it costs no more as the tables grow. */
export async function readLiveCounts(db: Kysely<Tables>): Promise<LiveCounts> {
  const { rows } = await sql<LiveCounts>`
    select
      coalesce((select json_object_agg(status, count) from (
        select status, count(*) from runs where ended_at is null group by status
      ) active), '{}') as runs,
      (select count(*)::float8 from approvals where status = 'pending') as "pendingApprovals",
      coalesce((
        select greatest(0, extract(epoch from now() - min(requested_at))) from approvals where status = 'pending'
      ), 0)::float8 as "oldestApprovalSeconds",
      (
        select coalesce(sum(regexp_count(view::text, '"code":"UNKNOWN_OUTCOME"')), 0)::float8
        from runs where ${WAITS_FOR_INTERVENTION}
      ) as "unknownOutcomes",
      starts.count as "pendingStarts",
      starts.oldest as "oldestStartSeconds"
    from (
      -- A run that was reopened waits since its first failed try.
      select
        count(*)::float8 as count,
        coalesce(greatest(0, extract(epoch from now() - min(
          case when execution = 1 then created_at else coalesce(dispatch_problem_since, now()) end
        ))), 0)::float8 as oldest
      from runs where dispatched_at is null and is_dequeued
    ) starts
  `.execute(db);
  const [counts] = rows;
  if (!counts) throw new TypeError('A statement without a table gave no row');
  return counts;
}
