import { expect, test } from 'vitest';
import { UpdateQueue } from '../../../../src/api/streams/subscribe-to-run.ts';
import { aDelta } from '../../../support/builders/store-builders.ts';

const LONG_MS = 60_000;

test('a stream’s first read of the store is at once, and later ones wait for a notification', async () => {
  const queue = new UpdateQueue();
  expect(await queue.take(LONG_MS)).toEqual({ deltas: [], hasChanged: true });
  const taken = queue.take(LONG_MS);
  queue.addDelta(aDelta());
  expect(await taken).toEqual({ deltas: [aDelta()], hasChanged: false });
  queue.addChange();
  queue.addDelta(aDelta({ index: 1 }));
  expect(await queue.take(LONG_MS)).toEqual({ deltas: [aDelta({ index: 1 })], hasChanged: true });
});

test('a stream reads the store when its polling interval is over', async () => {
  const queue = new UpdateQueue();
  await queue.take(LONG_MS);
  expect(await queue.take(1)).toEqual({ deltas: [], hasChanged: true });
});

test('a stream reader that is too slow loses deltas instead of using memory', async () => {
  const queue = new UpdateQueue();
  for (let index = 0; index < 5_000; index++) queue.addDelta(aDelta({ index }));
  const { deltas } = await queue.take(LONG_MS);
  expect([deltas.length, deltas.at(-1)?.index]).toEqual([2_000, 1_999]);
});
