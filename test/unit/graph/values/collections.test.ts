import { expect, test } from 'vitest';
import { forgetOldest } from '../../../../src/graph/values/index.ts';

test('The oldest tenth is forgotten once there are too many', () => {
  const entries = new Set(Array.from({ length: 20 }, (_, at) => at));
  forgetOldest(entries, 20);
  expect(entries.size).toBe(20);
  entries.add(20);
  forgetOldest(entries, 20);
  expect([...entries][0]).toBe(2);
  expect(entries.size).toBe(19);
});

test('Of a map with a small limit at least one entry is forgotten', () => {
  const entries = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  forgetOldest(entries, 1);
  expect([...entries.keys()]).toEqual(['b']);
});
