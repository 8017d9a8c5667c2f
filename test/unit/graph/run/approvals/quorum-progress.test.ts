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
  expect(quorumProgressOf({ policy: { quorum: 3 }, decisions })).toEqual({ needed: 3, by: ['bob', 'cid'] });
});

test('one is enough without a quorum, and a rejection is none', () => {
  expect(quorumProgressOf({ policy: {}, decisions: [] })).toEqual({ needed: 1, by: [] });
  expect(quorumProgressOf({ policy: {}, decisions: [decided('ada', 1, 'reject')] })).toEqual({ needed: 1, by: [] });
});
