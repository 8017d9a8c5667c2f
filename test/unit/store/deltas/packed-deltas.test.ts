import { expect, test } from 'vitest';
import { packDeltas, readDeltas } from '../../../../src/store/deltas/packed-deltas.ts';
import { aDelta } from '../../../support/builders/store-builders.ts';

const read = (payloads: readonly string[]) => payloads.flatMap(readDeltas).map(({ delta }) => delta);

test('payloads hold what PostgreSQL takes, in bytes', () => {
  const deltas = Array.from({ length: 20 }, (_, index) => aDelta({ index, text: 'ü'.repeat(1_000) }));
  const payloads = packDeltas('R', deltas);
  expect(read(payloads)).toEqual(deltas);
  expect(payloads.length).toBeGreaterThan(5);
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
});

test('a delta that fits into no payload is left out, and those around it are not', () => {
  const deltas = [aDelta({ index: 0 }), aDelta({ index: 1, text: '\u0001'.repeat(2_000) }), aDelta({ index: 2 })];
  expect(read(packDeltas('R', deltas)).map(({ index }) => index)).toEqual([0, 2]);
});

test('nothing takes no payload', () => {
  expect(packDeltas('R', [])).toEqual([]);
});

test.each(['', 'R', '7', 'null', '{"runId":"R"}', '[]'])('what something else says holds no deltas: %j', (said) => {
  expect(readDeltas(said)).toEqual([]);
});
