import { expect, test } from 'vitest';
import { createFingerprints } from '../../../../src/api/http/fingerprints.ts';
import { replayRun } from '../../../../src/api/runs/replay-run.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Store } from '../../../../src/store/store.ts';
import { aCatalog } from '../../../support/builders/builders.ts';
import { AT, aBatch, aNewRun, aStart, endRun, writeTo } from '../../../support/builders/store-builders.ts';
import { graphJobsHere } from '../../../support/doubles/graph-jobs-here.ts';
import { useMemoryStore } from '../../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();

test('a replay of a run with too many bytes of answers is refused before any is read', async () => {
  const catalog = aCatalog();
  await store.runs.create(aNewRun({ id: 'R', start: toJson(aStart({ catalog })) }));
  const call = { tenantId: 'acme', runId: 'R', node: 'a', called: 'tool:a', requestHash: 'h', claim: 'c', at: AT };
  for (const key of ['R:a', 'R:b', 'R:c']) {
    const claim = { ...call, key, takeover: 0, scheduledAt: 1, journal: null };
    await store.ledger.claim(claim, () => ({ isGranted: true, failures: 0 }));
    await store.ledger.complete({ key, claim: 'c' }, 'x'.repeat(21 * 1_048_576));
  }
  await writeTo(store, { id: 'R' }, aBatch([1]));
  await endRun(store, { id: 'R' }, 2);
  const unread: Store = {
    ...store,
    ledger: { ...store.ledger, answers: () => Promise.reject(new Error('The answers were read')) },
  };
  const run = await store.runs.find('R');
  if (!run) throw new Error('There is no run');
  const caller = { sub: 'ann', tenantId: 'acme', roles: [], permissions: new Set<never>() };
  const replaying = async () =>
    await replayRun(
      { store: unread, catalog, graphJobs: graphJobsHere(catalog), fingerprints: createFingerprints('secret') },
      caller,
      run,
      { id: 'S', graph: null, input: null },
    );
  await expect(replaying()).rejects.toThrow('The answers were read');
  await store.ledger.claim({ ...call, key: 'R:d', takeover: 0, scheduledAt: 1, journal: null }, () => ({
    isGranted: true,
    failures: 0,
  }));
  await store.ledger.complete({ key: 'R:d', claim: 'c' }, 'x'.repeat(1_048_576));
  await expect(replaying()).rejects.toMatchObject({
    code: 'NOT_ALLOWED_NOW',
    message: /up to 67108864 can be replayed/,
  });
});
