import { expect, test } from 'vitest';
import { Mailbox } from '../../../../src/api/streams/listen-to-run.ts';
import { aDelta } from '../../../support/builders/store-builders.ts';

const LONG_MS = 60_000;

test('the first read is at once, and later ones wait for a notification', async () => {
  const mailbox = new Mailbox();
  expect(await mailbox.take(LONG_MS)).toEqual({ deltas: [], hasChanged: true });
  const taken = mailbox.take(LONG_MS);
  mailbox.put(aDelta());
  expect(await taken).toEqual({ deltas: [aDelta()], hasChanged: false });
  mailbox.ring();
  mailbox.put(aDelta({ index: 1 }));
  expect(await mailbox.take(LONG_MS)).toEqual({ deltas: [aDelta({ index: 1 })], hasChanged: true });
});

test('a read is due when the time is up', async () => {
  const mailbox = new Mailbox();
  await mailbox.take(LONG_MS);
  expect(await mailbox.take(1)).toEqual({ deltas: [], hasChanged: true });
});

test('a reader that is too slow loses deltas instead of using memory', async () => {
  const mailbox = new Mailbox();
  for (let index = 0; index < 5_000; index++) mailbox.put(aDelta({ index }));
  const { deltas } = await mailbox.take(LONG_MS);
  expect([deltas.length, deltas.at(-1)?.index]).toEqual([2_000, 1_999]);
});
