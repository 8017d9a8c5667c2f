import { Client } from 'pg';

/** Invariants of the rows of all runs: each query finds violations. */
const RULES: Readonly<Record<string, string>> = {
  'every event number of a run is in the history': `select runs.id as found from runs left join events on events.run_id = runs.id
     group by runs.id having count(events.seq) <> runs.last_seq or coalesce(max(events.seq), 0) <> runs.last_seq`,
  'every run was dispatched to Temporal': 'select id as found from runs where dispatched_at is null',
  'an ended run has no open call': `select ledger.key || ' is ' || ledger.status as found from ledger join runs on runs.id = ledger.run_id
     where runs.ended_at is not null and ledger.status in ('claimed', 'retrying')`,
  'an ended run has no pending approval': `select approvals.id as found from approvals join runs on runs.id = approvals.run_id
     where runs.ended_at is not null and approvals.status = 'pending'`,
};

/** Executes a query. */
export type Query = (query: string) => Promise<{ readonly rows: readonly Row[] }>;
type Row = Readonly<Record<string, unknown>>;

/** @returns the violations by rule */
export async function checkRows(ask: Query, accepted: number): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const [rule, query] of Object.entries(RULES)) {
    const { rows } = await ask(query);
    found[rule] = rows.map(({ found }) => String(found));
  }
  const { rows } = await ask('select count(*)::integer as count from runs');
  const count = rows[0]?.['count'];
  return {
    ...found,
    'there is one run for each that was accepted': count === accepted ? [] : [`${String(count)} runs`],
  };
}

/** Checks the database with the given address. */
export async function checkDatabase(url: string, accepted: number): Promise<Record<string, readonly string[]>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await checkRows(async (query) => await client.query<Row>(query), accepted);
  } finally {
    await client.end();
  }
}
