import { expect, test } from 'vitest';
import { pruneRuns } from '../../../../src/api/sweeper/prune-runs.ts';
import { toApiSettings } from '../../../../src/config/api-settings.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import { NOTHING_PRUNED } from '../../../../src/store/retention.ts';
import type { Store } from '../../../../src/store/store.ts';
import { aNewRun, endRun } from '../../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

const settings = toApiSettings(parseConfig('the test', { retention: { runs: '1s' } }), {});
const isThere = async (id: string): Promise<boolean> => (await store.runs.find(id)) !== null;

test('a stopping process prunes no further batch of runs, and the next sweep prunes the rest', async () => {
  for (const id of ['A', 'B']) {
    await store.runs.create(aNewRun({ id }));
    await endRun(store, { id });
  }
  const stopping = new AbortController();
  const slow: Store = {
    ...store,
    retention: {
      ...store.retention,
      async *prune(retention) {
        for await (const pruned of store.retention.prune(retention, 1)) {
          stopping.abort();
          yield pruned;
        }
      },
    },
  };
  expect(await pruneRuns({ store: slow, settings }, stopping.signal)).toEqual({
    ...NOTHING_PRUNED,
    runs: 1,
    events: 1,
  });
  expect([await isThere('A'), await isThere('B')]).toEqual([false, true]);
  expect(await pruneRuns({ store, settings }, stopping.signal)).toEqual(NOTHING_PRUNED);
  expect((await pruneRuns({ store, settings }, new AbortController().signal)).runs).toBe(1);
});
