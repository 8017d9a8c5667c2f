import { expect, test } from 'vitest';
import { inDoubt, open, tellDoubt } from '../../../../console/src/pages/admin/one/in-doubt.ts';
import { isAnyCounted } from '../../../../console/src/pages/admin/prune/counted.ts';
import { readFilter } from '../../../../console/src/pages/admin/runs/admin-search.ts';

test('rows are in doubt, open, or over', () => {
  const rows = (['claimed', 'retrying', 'completed', 'failed', 'unknown'] as const).map((status) => ({ status }));
  expect(inDoubt(rows)).toEqual([{ status: 'unknown' }]);
  expect(open(rows)).toEqual([{ status: 'claimed' }, { status: 'retrying' }]);
});

test('what is in doubt is told of what is shown', () => {
  const [unknown, done] = [{ status: 'unknown' }, { status: 'completed' }] as const;
  expect(tellDoubt([done], false)).toBe('None of them is in doubt');
  expect(tellDoubt([done, done], true)).toBe('None of the 2 shown is in doubt');
  expect(tellDoubt([unknown, done], false)).toBe('One call is in doubt');
  expect(tellDoubt([unknown, unknown, done], true)).toBe('2 of the 3 shown are in doubt');
});

test('checkpoints go, though no run does', () => {
  const none = { dryRun: true, runs: 0, events: 0, checkpoints: 0, approvals: 0, ledger: 0, blobs: 0 };
  expect(isAnyCounted(none)).toBe(false);
  expect(isAnyCounted({ ...none, checkpoints: 3 })).toBe(true);
});

test('the address says which runs are shown', () => {
  expect(readFilter(new URLSearchParams('tenant= acme &status=failed&graph=g'))).toEqual({
    limit: 50,
    tenantId: 'acme',
    status: 'failed',
    graph: 'g',
  });
  expect(readFilter(new URLSearchParams('status=dead'))).toEqual({ limit: 50 });
});
