import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunChange } from '../../../src/store/changes.ts';
import type { Store } from '../../../src/store/store.ts';
import { AT, aBatch, aNewRun, aView, writeTo } from '../builders/store-builders.ts';

/** The notifications of every store about journal writes. */
export function changesSuite(store: () => Store): void {
  const subscribe = (runId: string) => {
    const received: (RunChange | null)[] = [];
    const unsubscribe = store().changes.subscribe(runId, (change) => received.push(change));
    onTestFinished(unsubscribe);
    return { received, unsubscribe };
  };
  /** A subscription may miss writes from before it is established, so the test waits until it receives one. */
  const opened = async (): Promise<void> => {
    const { received, unsubscribe } = subscribe('W-probe');
    const hasHeard = async (): Promise<boolean> => {
      await writeTo(store(), { id: 'W-probe' }, aBatch([1]));
      return received.some((change) => change !== null);
    };
    await expect.poll(hasHeard).toBe(true);
    unsubscribe();
  };

  describe('a subscriber to a run', () => {
    test('a subscriber to a run receives each batch of the run, and of no other run', async () => {
      await store().runs.create(aNewRun({ id: 'W-1' }));
      await opened();
      const { received } = subscribe('W-1');
      await writeTo(store(), { id: 'W-2' }, aBatch([1]));
      await writeTo(store(), { id: 'W-1' }, aBatch([1, 2]));
      await writeTo(store(), { id: 'W-1' }, aBatch([3], { view: aView({ status: 'waiting' }) }));
      const change = { tenantId: 'acme', runId: 'W-1' };
      await expect
        .poll(() => received)
        .toEqual([
          { ...change, seq: 2, status: aView().status },
          { ...change, seq: 3, status: 'waiting' },
        ]);
    });

    test('a subscriber to a run receives a batch that is written with an accepted or refused claim', async () => {
      await opened();
      const { received } = subscribe('W-claim');
      const writer = { runId: 'W-claim', tenantId: 'acme', executionRunId: 'e1' };
      const terms = {
        ...writer,
        node: 'pay',
        called: 'tool:pay',
        requestHash: 'x',
        takeover: 0,
        scheduledAt: 1,
        at: AT,
      };
      for (const seq of [1, 2])
        await store().ledger.claim(
          { ...terms, key: 'W-claim', claim: `c${seq}`, journal: { batch: aBatch([seq]), writer } },
          () => ({ isGranted: false, answer: null }),
        );
      await expect.poll(() => received.map((change) => change?.seq)).toEqual([1, 2]);
    });

    test('a subscriber to a run receives nothing after it has unsubscribed', async () => {
      await opened();
      const [gone, other] = [subscribe('W-gone'), subscribe('W-gone')];
      gone.unsubscribe();
      await writeTo(store(), { id: 'W-gone' }, aBatch([1]));
      await expect.poll(() => other.received).toHaveLength(1);
      expect(gone.received).toEqual([]);
    });
  });
}
