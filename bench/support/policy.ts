import type { CallPolicy } from '../../src/graph/definition/call-policy.ts';

/** The call policy of the hand-written workflows for Temporal. */
export const POLICY: CallPolicy = {
  timeoutMs: 60_000,
  deadlineMs: null,
  heartbeatMs: 30_000,
  retry: { maxAttempts: 3, initialMs: 1_000, coefficient: 2, maxMs: 30_000, nonRetryable: [] },
};
