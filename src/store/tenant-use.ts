import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';
import type { RunStatus } from '../graph/run/index.ts';
import { WAITS_FOR_INTERVENTION } from './interventions.ts';

/** What a tenant has used up. */
export interface TenantUse {
  /** The runs that have begun since then. */
  readonly runs: number;
  /** The cost of the runs that have begun since then, in USD. */
  readonly costUsd: number;
}

/** A question about what a tenant has used up; the times are RFC 3339. */
export interface UseQuestion {
  readonly tenantId: string;
  readonly runsSince: string;
  readonly costSince: string;
  /** A run that does not count. */
  readonly besides: string;
}

/** A sum of many runs is kept for so long at most. */
const MAX_KEPT_MS = 10_000;

/** What the runs since a time have cost, as it was summed. */
interface Sum {
  readonly costUsd: number;
  readonly since: string;
  readonly goodUntil: number;
}

/**
 * Reads what a tenant has used up, by the index of its newest runs. Replays count as nothing. New runs are counted each
 * time. The sum of n runs is kept for n milliseconds, so that who starts many runs a day does not sum them each time.
 * @param clock returns milliseconds
 */
export function createReadTenantUse(
  db: Kysely<Tables>,
  clock: () => number = Date.now,
): (question: UseQuestion) => Promise<TenantUse> {
  const sums = new Map<string, Sum>();
  return async (question) => {
    const { tenantId, runsSince, costSince } = question;
    const now = clock();
    const kept = sums.get(tenantId);
    if (kept && kept.since === costSince && now < kept.goodUntil) {
      const { runs } = await readUse(db, { ...question, costSince: runsSince });
      return { runs, costUsd: kept.costUsd };
    }
    const { runs, costUsd, summed } = await readUse(db, question);
    sums.delete(tenantId);
    if (summed > 1) sums.set(tenantId, { costUsd, since: costSince, goodUntil: now + Math.min(summed, MAX_KEPT_MS) });
    return { runs, costUsd };
  };
}

async function readUse(
  db: Kysely<Tables>,
  { tenantId, runsSince, costSince, besides }: UseQuestion,
): Promise<TenantUse & { readonly summed: number }> {
  const { rows } = await sql<TenantUse & { readonly summed: number }>`
    select
      (count(*) filter (where created_at >= ${runsSince}::timestamptz))::float8 as "runs",
      (coalesce(sum(cost_usd) filter (where created_at >= ${costSince}::timestamptz), 0))::float8 as "costUsd",
      count(*)::float8 as "summed"
    from runs
    where tenant_id = ${tenantId} and id <> ${besides} and replay_of is null
      and created_at >= least(${runsSince}::timestamptz, ${costSince}::timestamptz)
  `.execute(db);
  return rows[0] ?? { runs: 0, costUsd: 0, summed: 0 };
}

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
