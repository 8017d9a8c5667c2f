import { expect, test } from 'vitest';
import { createRecentPieces } from '../../../../src/store/blobs/recent-pieces.ts';

const piece = (byte: number): Uint8Array => new Uint8Array(10).fill(byte);

test('the pieces that were used longest ago make room', () => {
  const recent = createRecentPieces(30);
  for (const at of [1, 2, 3]) recent.add(`${at}`, piece(at));
  expect(recent.find('1')).toEqual(piece(1));
  recent.add('3', piece(3));
  recent.add('4', piece(4));
  expect(['1', '2', '3', '4'].filter((digest) => recent.find(digest))).toEqual(['1', '3', '4']);
});

test('a piece keeps nothing else in memory', () => {
  const recent = createRecentPieces();
  recent.add('1', new Uint8Array(1_000).subarray(0, 10));
  expect(recent.find('1')?.buffer.byteLength).toBe(10);
});
