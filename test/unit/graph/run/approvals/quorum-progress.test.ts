import { expect, test } from 'vitest';
import type { Decision } from '../../../../../src/graph/run/approvals/approval.ts';
import { quorumProgressOf } from '../../../../../src/graph/run/approvals/quorum-progress.ts';

const decided = (by: string, amount: number, decision: Decision['decision'] = 'approve'): Decision => ({
  by,
  decision,
  args: { amount },
  values: null,
  reason: null,
  at: '2026-11-26T00:00:00Z',
});

test('approvals count that are of what stands to be decided now', () => {
  const decisions = [decided('ada', 420), decided('bob', 300), decided('cid', 300)];
  expect(quorumProgressOf({ status: 'pending', policy: { quorum: 3 }, decisions })).toEqual({
    needed: 3,
    by: ['bob', 'cid'],
  });
});

test('one is enough without a quorum, and a rejection is none', () => {
  expect(quorumProgressOf({ status: 'pending', policy: {}, decisions: [] })).toEqual({ needed: 1, by: [] });
  const rejected = { status: 'rejected', policy: {}, decisions: [decided('ada', 1, 'reject')] } as const;
  expect(quorumProgressOf(rejected)).toEqual({ needed: 1, by: [] });
});

test.each(['expired', 'approved', 'rejected'] as const)('a timeout that makes it %s counts nobody', (status) => {
  const proposed = { policy: { quorum: 2 }, decisions: [decided('ada', 999)] };
  expect(quorumProgressOf({ status: 'pending', ...proposed }).by).toEqual(['ada']);
  expect(quorumProgressOf({ status, ...proposed })).toEqual({ needed: 2, by: [] });
});
