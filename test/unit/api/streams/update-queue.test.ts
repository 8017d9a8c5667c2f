import { expect, test } from 'vitest';
import { UpdateQueue } from '../../../../src/api/streams/subscribe-to-run.ts';
import { aDelta } from '../../../support/builders/store-builders.ts';

const LONG_MS = 60_000;

test('a stream’s first read of the store is at once, and later ones wait for a notification', async () => {
  const queue = new UpdateQueue();
  expect(await queue.take(LONG_MS)).toEqual({ deltas: [], progress: [], hasChanged: true });
  const taken = queue.take(LONG_MS);
  queue.addDelta(aDelta());
  expect(await taken).toEqual({ deltas: [aDelta()], progress: [], hasChanged: false });
  queue.addChange();
  queue.addDelta(aDelta({ index: 1 }));
  expect(await queue.take(LONG_MS)).toEqual({ deltas: [aDelta({ index: 1 })], progress: [], hasChanged: true });
});

test('a stream reads the store when its polling interval is over', async () => {
  const queue = new UpdateQueue();
  await queue.take(LONG_MS);
  expect(await queue.take(1)).toEqual({ deltas: [], progress: [], hasChanged: true });
});

test('a stream reader that is too slow loses deltas instead of using memory', async () => {
  const queue = new UpdateQueue();
  for (let index = 0; index < 5_000; index++) queue.addDelta(aDelta({ index }));
  const { deltas } = await queue.take(LONG_MS);
  expect([deltas.length, deltas.at(-1)]).toEqual([2_000, aDelta({ index: 1_999 })]);
});

test('a stream reader that is too slow gets the latest progress of each call', async () => {
  const queue = new UpdateQueue();
  const progress = (callKey: string, value: number) => ({
    node: 'n',
    visit: 1,
    attempt: 1,
    callKey,
    tool: 'pay',
    value,
  });
  for (let value = 0; value < 5_000; value++) queue.addDelta(progress('a', value));
  queue.addDelta(progress('b', 1));
  expect((await queue.take(LONG_MS)).progress).toEqual([progress('a', 4_999), progress('b', 1)]);
  queue.addChange();
  expect((await queue.take(LONG_MS)).progress).toEqual([]);
});
