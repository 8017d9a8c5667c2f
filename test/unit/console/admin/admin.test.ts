import { expect, test } from 'vitest';
import {
  open,
  describeUnknownOutcomes,
  withUnknownOutcome,
  isAnyCounted,
} from '../../../../console/src/pages/admin/unknown-outcomes.ts';
import { readFilter } from '../../../../console/src/pages/admin/search.ts';

test('the console shows whether ledger rows have an unknown outcome, are open, or are finished', () => {
  const rows = (['claimed', 'retrying', 'completed', 'failed', 'unknown'] as const).map((status) => ({ status }));
  expect(withUnknownOutcome(rows)).toEqual([{ status: 'unknown' }]);
  expect(open(rows)).toEqual([{ status: 'claimed' }, { status: 'retrying' }]);
});

test('the console counts unknown outcomes among the loaded rows of the ledger', () => {
  const [unknown, done] = [{ status: 'unknown' }, { status: 'completed' }] as const;
  expect(describeUnknownOutcomes([done], false)).toBe('None of them has an unknown outcome');
  expect(describeUnknownOutcomes([done, done], true)).toBe('None of the 2 shown has an unknown outcome');
  expect(describeUnknownOutcomes([unknown, done], false)).toBe('One call has an unknown outcome');
  expect(describeUnknownOutcomes([unknown, unknown, done], true)).toBe('2 of the 3 shown have an unknown outcome');
});

test('the console accepts a prune that deletes checkpoints but no run', () => {
  const none = { dryRun: true, runs: 0, events: 0, checkpoints: 0, approvals: 0, ledger: 0, blobs: 0 };
  expect(isAnyCounted(none)).toBe(false);
  expect(isAnyCounted({ ...none, checkpoints: 3 })).toBe(true);
});

test('the URL of the console’s page of all runs contains its filters', () => {
  expect(readFilter(new URLSearchParams('tenant= acme &status=failed&graph=g'))).toEqual({
    limit: 50,
    tenantId: 'acme',
    status: 'failed',
    graph: 'g',
  });
  expect(readFilter(new URLSearchParams('status=dead'))).toEqual({ limit: 50 });
});
