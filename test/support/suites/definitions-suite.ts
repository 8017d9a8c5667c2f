import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { fromWorkflowId, toWorkflowId } from '../../../src/workflows/contract.ts';
import { AT, LATER, aNewRun, endRun } from '../builders/store-builders.ts';
import type { OpenedStore } from './checkpoints-suite.ts';

/** Requirements on a store with many connections when a definition is used at the moment of its deletion. */
export function definitionsSuite(opened: () => OpenedStore): void {
  const aRunOf = (id: string, hash: string) =>
    aNewRun({ id, tenantId: hash, graph: { name: 'once', version: null, hash }, definition: { name: hash } });
  const store = (): Store => opened().store;
  const prune = async (): Promise<number> => {
    const retention = { runsBefore: LATER, checkpointsBefore: null, toWorkflowId, fromWorkflowId };
    let runs = 0;
    for await (const pruned of store().retention.prune(retention, 10)) runs += pruned.runs;
    return runs;
  };

  describe('a definition that is needed while it is being deleted', () => {
    test('a definition that is needed while it is being deleted is stored again for a run', async () => {
      await opened().tables.insertInto('definitions').values({ hash: 'D-run', definition: '{}' }).execute();
      const accepted = await opened()
        .tables.transaction()
        .execute(async (pruning) => {
          await sql`delete from definitions where hash = 'D-run'`.execute(pruning);
          const creating = store().runs.create(aRunOf('D-run', 'D-run'));
          await untilSomebodyWaits(pruning);
          return { creating };
        });
      expect(await accepted.creating).toBe('accepted');
      expect(await store().graphs.definition('D-run')).toEqual({ name: 'D-run' });
    });

    test('a definition that is needed while it is being deleted is kept if a run referred to it before the deletion', async () => {
      await store().runs.create(aRunOf('D-old', 'D-stays'));
      await endRun(store(), { id: 'D-old', tenantId: 'D-stays' });
      const pruned = await opened()
        .tables.transaction()
        .execute(async (publishing) => {
          await publishing.insertInto('graphs').values(aGraphOf('D-stays')).execute();
          const pruning = prune();
          await untilSomebodyWaits(publishing);
          return { pruning };
        });
      expect(await pruned.pruning).toBe(1);
      expect(await store().graphs.definition('D-stays')).toEqual({ name: 'D-stays' });
    });
  });
}

const aGraphOf = (hash: string) => ({
  tenant_id: hash,
  name: 'once',
  version: 1,
  publication: 1,
  hash,
  warnings: '[]',
  pins: '{}',
  created_at: AT,
  created_by: 'ann',
});

/** Waits until another statement waits for a lock of a transaction. */
async function untilSomebodyWaits(transaction: Transaction<Tables>): Promise<void> {
  for (let waiting = 0; waiting === 0;) {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::integer as waiting from pg_locks where not granted
    `.execute(transaction);
    waiting = rows[0]?.waiting ?? 0;
  }
}
