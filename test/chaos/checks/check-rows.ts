import { Client } from 'pg';

/** What has to hold of the rows of all runs together: each query finds those that break it. */
const RULES: Readonly<Record<string, string>> = {
  'every number that a run has given stands in the history': `select runs.id from runs left join events on events.run_id = runs.id
     group by runs.id having count(events.seq) <> runs.last_seq or coalesce(max(events.seq), 0) <> runs.last_seq`,
  'every run was handed over to Temporal': 'select id from runs where handed_over_at is null',
  'no call of a run that has ended is still out': `select ledger.key || ' is ' || ledger.status as found from ledger join runs on runs.id = ledger.run_id
     where runs.ended_at is not null and ledger.status in ('claimed', 'retrying')`,
  'no approval of a run that has ended is pending': `select approvals.id from approvals join runs on runs.id = approvals.run_id
     where runs.ended_at is not null and approvals.status = 'pending'`,
};

/** @returns by rule, what breaks it */
export async function checkRows(databaseUrl: string, accepted: number): Promise<Record<string, readonly string[]>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found: Record<string, readonly string[]> = {};
    for (const [rule, query] of Object.entries(RULES)) {
      const { rows } = await client.query<{ id?: string; found?: string }>(query);
      found[rule] = rows.map(({ id, found }) => id ?? found ?? '');
    }
    const { rows } = await client.query<{ count: number }>('select count(*)::integer as count from runs');
    const count = rows[0]?.count ?? 0;
    return { ...found, 'there is one run for each that was accepted': count === accepted ? [] : [`${count} runs`] };
  } finally {
    await client.end();
  }
}
