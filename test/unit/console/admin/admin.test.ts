import { expect, test } from 'vitest';
import { inDoubt, open } from '../../../../console/src/pages/admin/one/in-doubt.ts';
import { readFilter } from '../../../../console/src/pages/admin/runs/admin-search.ts';

test('rows are in doubt, open, or over', () => {
  const rows = (['claimed', 'retrying', 'completed', 'failed', 'unknown'] as const).map((status) => ({ status }));
  expect(inDoubt(rows)).toEqual([{ status: 'unknown' }]);
  expect(open(rows)).toEqual([{ status: 'claimed' }, { status: 'retrying' }]);
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
