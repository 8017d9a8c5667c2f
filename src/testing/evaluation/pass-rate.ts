/** How many of some trials have passed. */
export interface PassRate {
  readonly passed: number;
  readonly trials: number;
  /** The interval that holds the true rate with 95% confidence (Wilson's score interval), from 0 to 1. */
  readonly low: number;
  readonly high: number;
}

/** The 97.5th percentile of the normal distribution. */
const NORMAL_QUANTILE = 1.959964;

/** @param trials at least 1 */
export function passRate(passed: number, trials: number): PassRate {
  const rate = passed / trials;
  const scale = 1 + NORMAL_QUANTILE ** 2 / trials;
  const center = (rate + NORMAL_QUANTILE ** 2 / (2 * trials)) / scale;
  const margin =
    (NORMAL_QUANTILE / scale) * Math.sqrt((rate * (1 - rate)) / trials + NORMAL_QUANTILE ** 2 / (4 * trials ** 2));
  return { passed, trials, low: Math.max(0, center - margin), high: Math.min(1, center + margin) };
}
