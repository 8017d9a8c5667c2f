import { expect, test, vi } from 'vitest';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

/** Many runs of one graph, and five of another one, which are the oldest. */
async function fill(): Promise<void> {
  await store.database.exec(`
    insert into definitions (hash, definition) values ('h', '{}');
    insert into runs (id, tenant_id, status, graph_name, graph_hash, start, input, limits, metadata, labels, redaction,
      created_by, created_at, execution, is_dequeued, interrupts, dispatch_after)
    select 'r' || n, 'acme', 'queued', case when n <= 5 then 'rare' else 'common' end, 'h', '{}', '{}', '{}', '{}', '{}',
      '{}', 'uma', timestamptz '2026-01-01' + n * interval '1 s', 1, true, false, now()
    from generate_series(1, 3000) as n;
    analyze runs;
  `);
}

test('a page of runs of one graph reads no runs of other graphs', async () => {
  await fill();
  const query = vi.spyOn(store.database, 'query');
  const { items } = await store.runs.list('acme', { graph: 'rare' }, { limit: 20 });
  expect(items.map(({ id }) => id)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
  const [text = '', values] = query.mock.lastCall ?? [];
  const { rows } = await store.database.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Scan using runs_of_graph');
});
