import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { digestOf } from '../../../../../src/graph/run/approvals/approval-digest.ts';
import { decide, refuseDecision } from '../../../../../src/graph/run/approvals/approval.ts';
import type { Approval, DecisionRequest } from '../../../../../src/graph/run/approvals/approval.ts';
import { canonicalJson } from '../../../../../src/graph/values/json.ts';
import { unitsSpent } from '../../../../../src/graph/values/meter.ts';
import { startRun } from '../../../../support/builders/runs.ts';

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
  return { ...approval, ...SHOWN, digest: digestOf(SHOWN) };
}

function unitsOf(work: () => unknown): number {
  const before = unitsSpent();
  work();
  return unitsSpent() - before;
}

test('is the SHA-256 of what is shown', () => {
  expect(digestOf(SHOWN)).toBe(createHash('sha256').update(canonicalJson(SHOWN)).digest('hex'));
});

test('costs what each of its bytes takes, besides the text', () => {
  const text = unitsOf(() => canonicalJson(SHOWN));
  expect(unitsOf(() => digestOf(SHOWN))).toBeGreaterThanOrEqual(text + (2 * LENGTH) / 16);
});

test('is made by no decision that leaves the arguments alone, and by no look at one', () => {
  const approval = asking();
  expect(unitsOf(() => refuseDecision(approval, REQUEST))).toBeLessThan(100);
  expect(unitsOf(() => decide(approval, REQUEST))).toBeLessThan(100);
  expect(decide(approval, REQUEST)).toMatchObject({ approval: { digest: approval.digest } });
});

test('is made anew by a decision with other arguments, and by no look at one', () => {
  const approval = asking();
  const edit = { ...REQUEST, args: { amount: 2 } };
  expect(unitsOf(() => refuseDecision(approval, edit))).toBeLessThan(100);
  const digest = digestOf({ ...SHOWN, args: edit.args });
  expect(decide(approval, edit)).toMatchObject({ approval: { digest } });
});
