import { expect, test } from 'vitest';
import { createMemo } from '../../../../src/graph/values/memo.ts';

test('a memo keeps values up to a number, and up to a size', () => {
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

test('a value that takes more than a tenth of a memo is not kept', () => {
  const memo = createMemo<object>({ maxEntries: 3, maxSize: 100 });
  const make = (): object => ({});
  expect(memo('x'.repeat(11), make)).not.toBe(memo('x'.repeat(11), make));
});
