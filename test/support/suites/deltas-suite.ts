import { describe, expect, onTestFinished, test } from 'vitest';
import type { LiveUpdate } from '../../../src/graph/journal/model-delta.ts';
import type { Store } from '../../../src/store/store.ts';
import { aDelta } from '../builders/store-builders.ts';

/** The notifications of every store about published deltas. */
export function deltasSuite(store: () => Store): void {
  const listen = async (runId: string) => {
    const received: LiveUpdate[] = [];
    const stop = await store().deltas.listen(runId, (delta) => received.push(delta));
    onTestFinished(stop);
    return { received, stop };
  };

  describe('a listener to the deltas of a run', () => {
    test('a listener to the deltas of a run receives each of them in order from the first one, and none of another run', async () => {
      const { received } = await listen('D-1');
      const deltas = [aDelta({ index: 0, text: 'Hü, "you"\n' }), aDelta({ index: 1, text: '\0\u{1F600}\ud83d' })];
      await store().deltas.publish('D-2', [aDelta()]);
      await store().deltas.publish('D-1', deltas);
      await store().deltas.publish('D-1', [aDelta({ index: 2, path: ['outer'] })]);
      const progress = { node: 'n', visit: 1, attempt: 1, callKey: 'k', tool: 'pay', value: { done: [1, null] } };
      await store().deltas.publish('D-1', [progress]);
      await expect.poll(() => received).toEqual([...deltas, aDelta({ index: 2, path: ['outer'] }), progress]);
    });

    test('a listener to the deltas of a run receives many at a time, whatever their total size', async () => {
      const { received } = await listen('D-many');
      const deltas = Array.from({ length: 50 }, (_, index) => aDelta({ index, text: 'x'.repeat(1_000) }));
      await store().deltas.publish('D-many', deltas);
      await expect.poll(() => received).toEqual(deltas);
    });

    test('a listener to the deltas of a run receives nothing after it has unsubscribed', async () => {
      const [gone, other] = [await listen('D-gone'), await listen('D-gone')];
      gone.stop();
      await store().deltas.publish('D-gone', [aDelta()]);
      await expect.poll(() => other.received).toHaveLength(1);
      expect(gone.received).toEqual([]);
    });
  });
}
