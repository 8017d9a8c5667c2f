import { expect, test } from 'vitest';
import { Kysely } from 'kysely';
import { aBatch, aNewRun, aView } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';
import { createReadTenantUse } from '../../../src/store/tenant-use.ts';
import { createPgliteDialect } from '../../../src/store/database/pglite-dialect.ts';
import type { Tables } from '../../../src/store/tables.ts';

const store = await useMemoryStore();
const db = new Kysely<Tables>({ dialect: createPgliteDialect(store.database) });

const DAY = '2026-03-04T00:00:00.000Z';
const MINUTE = '2026-03-04T05:06:00.000Z';

async function begin(id: string, costUsd: number): Promise<void> {
  await store.runs.create(aNewRun({ id, createdAt: '2026-03-04T05:06:30.000Z' }));
  const { usage } = aView();
  const view = aView({ usage: { ...usage, costUsd } });
  await store.journal.write(aBatch([1], { view }), { runId: id, tenantId: 'acme', executionRunId: 'e' });
}

test('the cost of a tenant’s n runs is cached for n milliseconds, and runs are counted each time', async () => {
  let now = 0;
  const read = createReadTenantUse(db, () => now);
  const use = async () => await read({ tenantId: 'acme', runsSince: MINUTE, costSince: DAY, exceptRunId: 'none' });
  for (const id of ['A', 'B', 'C']) await begin(id, 1);
  expect(await use()).toEqual({ runs: 3, costUsd: 3 });
  await begin('D', 1);
  now = 2;
  expect(await use()).toEqual({ runs: 4, costUsd: 3 });
  now = 3;
  expect(await use()).toEqual({ runs: 4, costUsd: 4 });
});
