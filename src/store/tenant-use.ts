import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';
import type { RunStatus } from '../graph/run/index.ts';
import { WAITS_FOR_INTERVENTION } from './interventions.ts';

/** The usage of a tenant. */
export interface TenantUse {
  /** The number of runs that have begun since the given time. */
  readonly runs: number;
  /** The cost of the runs that have begun since the given time, in USD. */
  readonly costUsd: number;
}

/** Selects the runs of a tenant whose usage is read; the times are RFC 3339. */
export interface UseQuery {
  readonly tenantId: string;
  readonly runsSince: string;
  readonly costSince: string;
  /** The id of a run that is not counted. */
  readonly exceptRunId: string;
}

/** The longest time for which the sum of many runs is cached. */
const MAX_KEPT_MS = 10_000;

/** The cached cost of the runs since a time. */
interface UseSum {
  readonly costUsd: number;
  readonly since: string;
  readonly goodUntil: number;
}

/**
 * Creates a function that reads the usage of a tenant from the index of its newest runs. Replays are not counted. New
 * runs are counted each time. The sum of n runs is cached for n milliseconds, so that a tenant with many runs does not
 * cause a summation for each new run.
 * @param clock returns milliseconds
 * @internal
 */
export function createReadTenantUse(
  db: Kysely<Tables>,
  clock: () => number = Date.now,
): (query: UseQuery) => Promise<TenantUse> {
  const sums = new Map<string, UseSum>();
  return async (query) => {
    const { tenantId, runsSince, costSince } = query;
    const now = clock();
    const kept = sums.get(tenantId);
    if (kept && kept.since === costSince && now < kept.goodUntil) {
      const { runs } = await readTenantUseSums(db, { ...query, costSince: runsSince });
      return { runs, costUsd: kept.costUsd };
    }
    const { runs, costUsd, summed } = await readTenantUseSums(db, query);
    sums.delete(tenantId);
    if (summed > 1) sums.set(tenantId, { costUsd, since: costSince, goodUntil: now + Math.min(summed, MAX_KEPT_MS) });
    return { runs, costUsd };
  };
}

async function readTenantUseSums(
  db: Kysely<Tables>,
  { tenantId, runsSince, costSince, exceptRunId }: UseQuery,
): Promise<TenantUse & { readonly summed: number }> {
  const { rows } = await sql<TenantUse & { readonly summed: number }>`
    select
      (count(*) filter (where created_at >= ${runsSince}::timestamptz))::float8 as "runs",
      (coalesce(sum(cost_usd) filter (where created_at >= ${costSince}::timestamptz), 0))::float8 as "costUsd",
      count(*)::float8 as "summed"
    from runs
    where tenant_id = ${tenantId} and id <> ${exceptRunId} and replay_of is null
      and created_at >= least(${runsSince}::timestamptz, ${costSince}::timestamptz)
  `.execute(db);
  return rows[0] ?? { runs: 0, costUsd: 0, summed: 0 };
}

/** Current counts over all tenants, for metrics. */
export interface LiveCounts {
  /** The number of runs that have not ended, by status. */
  readonly runs: Partial<Readonly<Record<RunStatus, number>>>;
  readonly pendingApprovals: number;
  /** The age of the oldest pending approval in seconds; 0 when there is none. */
  readonly oldestApprovalSeconds: number;
  /** The number of calls with an unknown outcome that wait for a person. */
  readonly unknownOutcomes: number;
  /** The number of runs that Temporal does not have yet, without queued runs. */
  readonly pendingStarts: number;
  /** The age of the oldest pending start in seconds; 0 when there is none. */
  readonly oldestStartSeconds: number;
}

/**
 * Counts by partial indexes that contain nothing else, so that the cost does not grow with the tables.
 * @internal
 */
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
