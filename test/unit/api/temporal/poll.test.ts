import { describe, expect, test } from 'vitest';
import { poll } from '../../../../src/api/temporal/requests.ts';

/** Sees 1, 2, 3 and so on. */
function aCounter(): () => Promise<number> {
  let seen = 0;
  return () => Promise.resolve(++seen);
}

describe('poll', () => {
  test('asks until the answer fits', async () => {
    expect(await poll(aCounter(), (seen) => seen === 3, { everyMs: 1, withinMs: 10_000 })).toBe(3);
  });

  test('asks once without time', async () => {
    expect(await poll(aCounter(), () => false, { everyMs: 1, withinMs: 0 })).toBe(1);
  });

  test('returns the last answer when the time is over', async () => {
    expect(await poll(aCounter(), () => false, { everyMs: 5, withinMs: 50 })).toBeGreaterThan(1);
  });
});
