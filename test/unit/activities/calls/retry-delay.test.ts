import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryDelay } from '../../../../src/activities/calls/judge-attempt.ts';
import type { RetryPolicy } from '../../../../src/graph/definition/call-policy.ts';

const HOUR_MS = 3_600_000;
/** The longest delay that a server may ask for. */
const MAX_RETRY_AFTER_MS = 600_000;
/** Half of the relative range of the jitter. */
const JITTER = 0.1;

const milliseconds = fc.integer({ min: 0, max: HOUR_MS });
const policies = (over: { initialMs?: fc.Arbitrary<number> } = {}): fc.Arbitrary<RetryPolicy> =>
  fc.record({
    maxAttempts: fc.constant(1_000_000),
    initialMs: milliseconds,
    coefficient: fc.double({ min: 1, max: 100, noNaN: true }),
    maxMs: milliseconds,
    nonRetryable: fc.constant([]),
    ...over,
  });
const failures = fc.integer({ min: 1, max: 5_000 });

const aRetryPolicy = (over: Partial<RetryPolicy> = {}): RetryPolicy => ({
  maxAttempts: 5,
  initialMs: 1_000,
  coefficient: 2,
  maxMs: 60_000,
  nonRetryable: [],
  ...over,
});

function delayAfter(policy: RetryPolicy, failures: number, retryAfterMs: number | null): number {
  return retryDelay(policy, failures, retryAfterMs, Math.random());
}

describe('retryDelay', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [100, 60_000],
  ])('the retry delay after %i failures is about %i ms', (failures, about) => {
    const delay = delayAfter(aRetryPolicy(), failures, null);
    expect(Math.abs(delay - about)).toBeLessThanOrEqual(about * JITTER);
  });

  test('the retry delay varies at random', () => {
    const delays = Array.from({ length: 50 }, () => delayAfter(aRetryPolicy({ initialMs: 50_000 }), 1, null));
    expect(new Set(delays).size).toBeGreaterThan(1);
  });

  test('the retry delay is a whole number of milliseconds, never longer than the longest interval', () => {
    const endless = aRetryPolicy({ initialMs: 0 });
    fc.assert(
      fc.property(policies(), failures, (policy, failures) => {
        const delay = delayAfter(policy, failures, null);
        expect(Number.isSafeInteger(delay) && delay >= 0 && delay <= policy.maxMs).toBe(true);
      }),
      { examples: [[endless, 5_000]], numRuns: 1_000 },
    );
  });

  test('the retry delay differs from the backoff by at most a tenth', () => {
    fc.assert(
      fc.property(policies({ initialMs: fc.integer({ min: 1, max: HOUR_MS }) }), failures, (policy, failures) => {
        const backoff = Math.min(policy.maxMs, policy.initialMs * policy.coefficient ** (failures - 1));
        const delay = delayAfter(policy, failures, null);
        expect(Math.abs(delay - backoff)).toBeLessThanOrEqual(backoff * JITTER + 1);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the retry delay is at least what the server asks for, up to ten minutes', () => {
    fc.assert(
      fc.property(
        policies(),
        failures,
        fc.integer({ min: 0, max: 2 * MAX_RETRY_AFTER_MS }),
        (policy, failures, asked) => {
          const delay = delayAfter(policy, failures, asked);
          expect(delay).toBeGreaterThanOrEqual(Math.min(asked, MAX_RETRY_AFTER_MS));
          expect(delay).toBeLessThanOrEqual(Math.max(policy.maxMs, Math.min(asked, MAX_RETRY_AFTER_MS)));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('a server that asks for a retry delay longer than the backoff gets exactly that delay', () => {
    expect(delayAfter(aRetryPolicy(), 1, 90_000)).toBe(90_000);
  });
});
