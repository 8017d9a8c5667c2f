import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { cutByContent, createRecentPieces } from '../../../../src/store/blobs/blobs.ts';

const MIB = 1_048_576;
const VARIED = Buffer.from(Array.from({ length: 900_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 4).join());

const digestsOf = (data: Uint8Array): readonly string[] =>
  [...cutByContent(data)].map((piece) => createHash('sha256').update(piece).digest('hex'));

test.each([
  ['varied', VARIED],
  ['all the same', Buffer.alloc(3 * MIB, 'x')],
  ['small', Buffer.from('small')],
  ['empty', Buffer.alloc(0)],
])('blob data that is %s is split into pieces of bounded size, without loss', (_, data) => {
  const pieces = [...cutByContent(data)];
  expect(Buffer.concat(pieces).equals(data)).toBe(true);
  for (const { length } of pieces) expect(length).toBeLessThanOrEqual(MIB / 2);
  for (const { length } of pieces.slice(0, -1)) expect(length).toBeGreaterThanOrEqual(MIB / 16);
});

const MIDDLE = VARIED.length / 2;
test.each([
  ['added at the beginning', Buffer.concat([Buffer.from('new'), VARIED])],
  ['added in the middle', Buffer.concat([VARIED.subarray(0, MIDDLE), Buffer.from('new'), VARIED.subarray(MIDDLE)])],
  ['added at the end', Buffer.concat([VARIED, Buffer.from('new')])],
  ['removed', Buffer.concat([VARIED.subarray(0, MIDDLE), VARIED.subarray(MIDDLE + 9)])],
])('blob bytes that are %s change only the pieces around them', (_, changed) => {
  const before = new Set(digestsOf(VARIED));
  const after = digestsOf(changed);
  expect(after.length).toBeGreaterThan(10);
  expect(after.filter((digest) => !before.has(digest)).length).toBeLessThanOrEqual(2);
});

const piece = (byte: number): Uint8Array => new Uint8Array(10).fill(byte);

test('the least recently used blob pieces are evicted from the cache', () => {
  const recent = createRecentPieces(30);
  for (const at of [1, 2, 3]) recent.add(`${at}`, piece(at));
  expect(recent.find('1')).toEqual(piece(1));
  recent.add('3', piece(3));
  recent.add('4', piece(4));
  expect(['1', '2', '3', '4'].filter((digest) => recent.find(digest))).toEqual(['1', '3', '4']);
});

test('a cached blob piece keeps no larger buffer in memory', () => {
  const recent = createRecentPieces();
  recent.add('1', new Uint8Array(1_000).subarray(0, 10));
  expect(recent.find('1')?.buffer.byteLength).toBe(10);
});
