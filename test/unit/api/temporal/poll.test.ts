import { describe, expect, test } from 'vitest';
import { pollUntil } from '../../../../src/api/temporal/requests.ts';

/** Returns 1, 2, 3 and so on. */
function aCounter(): () => Promise<number> {
  let seen = 0;
  return () => Promise.resolve(++seen);
}

describe('poll', () => {
  test('poll reads until the value is accepted', async () => {
    expect(await pollUntil(aCounter(), (seen) => seen === 3, { everyMs: 1, withinMs: 10_000 })).toBe(3);
  });

  test('poll reads once if there is no time', async () => {
    expect(await pollUntil(aCounter(), () => false, { everyMs: 1, withinMs: 0 })).toBe(1);
  });

  test('poll returns the last value when the time is up', async () => {
    expect(await pollUntil(aCounter(), () => false, { everyMs: 5, withinMs: 50 })).toBeGreaterThan(1);
  });
});
