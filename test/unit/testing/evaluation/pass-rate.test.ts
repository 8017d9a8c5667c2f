import { expect, test } from 'vitest';
import { passRate } from '../../../../src/testing/evaluation/pass-rate.ts';

/* Expected values are from a table of Wilson's score interval. */
test.each([
  { passed: 5, trials: 5, low: 0.5655, high: 1 },
  { passed: 0, trials: 5, low: 0, high: 0.4345 },
  { passed: 8, trials: 10, low: 0.4902, high: 0.9433 },
])(
  'the pass rate of $passed passed of $trials trials has the documented confidence interval',
  ({ passed, trials, low, high }) => {
    const rate = passRate(passed, trials);
    expect(rate.low).toBeCloseTo(low, 3);
    expect(rate.high).toBeCloseTo(high, 3);
  },
);
