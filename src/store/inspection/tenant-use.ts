import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

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

/** Counts new runs and their cost, in one statement, by the index of a tenant's newest runs. Replays count as nothing. */
export async function readTenantUse(
  db: Kysely<Tables>,
  { tenantId, runsSince, costSince, besides }: UseQuestion,
): Promise<TenantUse> {
  const { rows } = await sql<TenantUse>`
    select
      (count(*) filter (where created_at >= ${runsSince}::timestamptz))::float8 as "runs",
      (coalesce(sum(cost_usd) filter (where created_at >= ${costSince}::timestamptz), 0))::float8 as "costUsd"
    from runs
    where tenant_id = ${tenantId} and id <> ${besides} and replay_of is null
      and created_at >= least(${runsSince}::timestamptz, ${costSince}::timestamptz)
  `.execute(db);
  return rows[0] ?? { runs: 0, costUsd: 0 };
}
