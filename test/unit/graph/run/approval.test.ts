import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { approvalDigest, applyDecision, refuseDecision, quorumProgressOf } from '../../../../src/graph/run/approval.ts';
import type { Approval, DecisionRequest, Decision } from '../../../../src/graph/run/approval.ts';
import { canonicalJson } from '../../../../src/graph/values/compare-json.ts';
import { unitsSpent } from '../../../../src/graph/values/meter.ts';
import { startRun } from '../../../support/builders/runs.ts';

const LENGTH = 1_600_000;
const SHOWN = { title: 'Pay?', details: 'é'.repeat(LENGTH), args: { amount: 1 } };
const REQUEST: DecisionRequest = {
  decision: 'approve',
  by: { sub: 'ada', roles: ['approver'] },
  at: '2026-01-01T00:00:00Z',
};

function asking(): Approval {
  const [approval] = Object.values(startRun({ nodes: { ask: { type: 'approval', title: 'Pay?' } } }).run.approvals);
  if (!approval) throw new TypeError('No approval is open');
  return { ...approval, ...SHOWN, digest: approvalDigest(SHOWN) };
}

function unitsOf(work: () => unknown): number {
  const before = unitsSpent();
  work();
  return unitsSpent() - before;
}

test('the digest is the SHA-256 of the content of the approval', () => {
  expect(approvalDigest(SHOWN)).toBe(createHash('sha256').update(canonicalJson(SHOWN)).digest('hex'));
});

test('the digest costs a price for each byte besides the text', () => {
  const text = unitsOf(() => canonicalJson(SHOWN));
  expect(unitsOf(() => approvalDigest(SHOWN))).toBeGreaterThanOrEqual(text + (2 * LENGTH) / 16);
});

test('the digest is not computed by a decision that keeps the arguments, nor by a check of one', () => {
  const approval = asking();
  expect(unitsOf(() => refuseDecision(approval, REQUEST))).toBeLessThan(100);
  expect(unitsOf(() => applyDecision(approval, REQUEST))).toBeLessThan(100);
  expect(applyDecision(approval, REQUEST)).toMatchObject({ approval: { digest: approval.digest } });
});

test('the digest is computed by a decision with other arguments, but not by a check of one', () => {
  const approval = asking();
  const edit = { ...REQUEST, args: { amount: 2 } };
  expect(unitsOf(() => refuseDecision(approval, edit))).toBeLessThan(100);
  const digest = approvalDigest({ ...SHOWN, args: edit.args });
  expect(applyDecision(approval, edit)).toMatchObject({ approval: { digest } });
});

const decided = (by: string, amount: number, decision: Decision['decision'] = 'approve'): Decision => ({
  by,
  decision,
  args: { amount },
  values: null,
  reason: null,
  at: '2026-11-26T00:00:00Z',
});

test('only approvals of the current content count', () => {
  const decisions = [decided('ada', 420), decided('bob', 300), decided('cid', 300)];
  expect(quorumProgressOf({ status: 'pending', policy: { quorum: 3 }, decisions })).toEqual({
    needed: 3,
    by: ['bob', 'cid'],
  });
});

test('one approval is enough without a quorum, and a rejection does not count', () => {
  expect(quorumProgressOf({ status: 'pending', policy: {}, decisions: [] })).toEqual({ needed: 1, by: [] });
  const rejected = { status: 'rejected', policy: {}, decisions: [decided('ada', 1, 'reject')] } as const;
  expect(quorumProgressOf(rejected)).toEqual({ needed: 1, by: [] });
});

test.each(['expired', 'approved', 'rejected'] as const)('a timeout that makes it %s counts nobody', (status) => {
  const proposed = { policy: { quorum: 2 }, decisions: [decided('ada', 999)] };
  expect(quorumProgressOf({ status: 'pending', ...proposed }).by).toEqual(['ada']);
  expect(quorumProgressOf({ status, ...proposed })).toEqual({ needed: 2, by: [] });
});
