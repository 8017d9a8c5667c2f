import { expect, test } from 'vitest';
import { readRetryAfter } from '../../../src/network/retry-after.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

test.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '120' }, 120_000],
  [{ 'retry-after': ' 1.5 ' }, 1_500],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:05:05 GMT' }, 60_000],
  [{ 'retry-after': 'Friday, 02-Jan-26 03:05:05 GMT' }, 60_000],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
])('the response headers %o mean a retry delay of %s ms', (headers, expected) => {
  expect(readRetryAfter(new Headers(headers), NOW)).toBe(expected);
});
