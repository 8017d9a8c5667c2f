import { expect, test } from 'vitest';
import { formatDistance, formatDuration } from '../../../console/src/parts/texts.ts';

test.each([
  [5_000, 'in 5 seconds'],
  [-61_000, '1 minute ago'],
  [3 * 3_600_000 + 59_000, 'in 3 hours'],
  [-2 * 86_400_000, '2 days ago'],
  [0, 'in 0 seconds'],
])('the console formats a time %i ms from now as "%s"', (ms, told) => {
  expect(formatDistance(1_000_000_000 + ms, 1_000_000_000)).toBe(told);
});

test.each([
  [12.4, '12 ms'],
  [3_240, '3.2 s'],
  [250_000, '4 min 10 s'],
  [7_500_000, '2 h 5 min'],
])('the console formats a duration of %d ms as "%s"', (ms, told) => {
  expect(formatDuration(ms)).toBe(told);
});
