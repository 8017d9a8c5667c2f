import { expect, test } from 'vitest';
import { forgetOldest } from '../../../../src/graph/values/index.ts';
import { createMemo } from '../../../../src/graph/values/collections.ts';

test('a full cache map deletes its oldest tenth', () => {
  const entries = new Set(Array.from({ length: 20 }, (_, at) => at));
  forgetOldest(entries, 20);
  expect(entries.size).toBe(20);
  entries.add(20);
  forgetOldest(entries, 20);
  expect([...entries][0]).toBe(2);
  expect(entries.size).toBe(19);
});

test('a full small cache map deletes at least one entry', () => {
  const entries = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  forgetOldest(entries, 1);
  expect([...entries.keys()]).toEqual(['b']);
});

test('a memo keeps cached values up to a number and up to a size', () => {
  const memo = createMemo<object>({ maxEntries: 3, maxSize: 100 });
  const make = (): object => ({});
  const first = memo('a', make);
  expect(memo('a', make)).toBe(first);
  memo('b', make);
  memo('c', make);
  expect(memo('a', make)).toBe(first);
  memo('d', make);
  expect(memo('a', make)).not.toBe(first);

  const bySize = createMemo<object>({ maxEntries: 1_000, maxSize: 100 });
  const kept = bySize('x'.repeat(10), make);
  for (let n = 0; n < 9; n += 1) bySize(`${n}`.repeat(10), make);
  expect(bySize('x'.repeat(10), make)).toBe(kept);
  bySize('y', make);
  expect(bySize('x'.repeat(10), make)).not.toBe(kept);
});

test('a memo does not cache a value larger than a tenth of its size', () => {
  const memo = createMemo<object>({ maxEntries: 3, maxSize: 100 });
  const make = (): object => ({});
  expect(memo('x'.repeat(11), make)).not.toBe(memo('x'.repeat(11), make));
});
