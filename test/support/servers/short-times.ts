import type { SweepTimes } from '../../../src/api/deps.ts';

/** A delivery schedule that is short enough for a test: a receiver has two seconds, and a message five attempts. */
export const SHORT_TIMES = {
  deliveriesMs: 100,
  dispatcher: { answerMs: 2_000, leaseMs: 5_000, delaysMs: [300, 900, 1_500, 2_500] },
} as const satisfies Partial<SweepTimes>;
