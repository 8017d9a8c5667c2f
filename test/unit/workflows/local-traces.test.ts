import { expect, test } from 'vitest';
import { localTraces } from '../../../src/workflows/call-activities.ts';

const failed = {
  failures: 1,
  failure: { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } },
  nextAttemptAt: '2026-01-02T03:04:05Z',
} as const;

test.each([
  ['there were no local attempts', null, {}],
  ['no local attempt has begun', { failed: null }, {}],
  ['the local attempts have failed', { failed }, { failedLocally: failed }],
  ['a local attempt possibly executed the call', { failed: null, perhapsMade: true }, { perhapsMadeLocally: true }],
  [
    'a local attempt possibly executed the call after another failed',
    { failed, perhapsMade: true },
    { failedLocally: failed, perhapsMadeLocally: true },
  ],
] as const)('an activity receives the traces of a call’s local attempts: %s', (_, left, told) => {
  expect(localTraces(left)).toEqual(told);
});
