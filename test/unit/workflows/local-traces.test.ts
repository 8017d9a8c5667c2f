import { expect, test } from 'vitest';
import { localTraces } from '../../../src/workflows/call-activities.ts';

const failed = {
  failures: 1,
  failure: { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } },
  nextAttemptAt: '2026-01-02T03:04:05Z',
} as const;

test.each([
  ['there were none', null, {}],
  ['none has begun', { failed: null }, {}],
  ['they have failed', { failed }, { failedLocally: failed }],
  ['one may have made it', { failed: null, perhapsMade: true }, { perhapsMadeLocally: true }],
  [
    'one may have made it after another failed',
    { failed, perhapsMade: true },
    { failedLocally: failed, perhapsMadeLocally: true },
  ],
] as const)('an activity receives the traces of a call’s local attempts: %s', (_, left, told) => {
  expect(localTraces(left)).toEqual(told);
});
