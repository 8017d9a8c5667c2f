import type { CallPolicy } from '../../src/graph/definition/call-policy.ts';

/** What somebody who writes for Temporal by hand has calls bounded by. */
export const POLICY: CallPolicy = {
  timeoutMs: 60_000,
  deadlineMs: null,
  heartbeatMs: 30_000,
  retry: { maxAttempts: 3, initialMs: 1_000, coefficient: 2, maxMs: 30_000, nonRetryable: [] },
};
