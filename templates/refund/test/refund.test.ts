import { runGraph } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { refund } from '../graphs/refund.ts';
import { issueRefund, lookupOrder } from '../tools/refund-tools.ts';

const tools = { lookup_order: lookupOrder, issue_refund: { ...issueRefund, execute: () => ({ receipt: 'R-1' }) } };

test('a small refund is paid without an approval', async () => {
  const run = await runGraph(refund, { order: 'A-1001', euros: 20 }, { tools });
  expect(run.path).toEqual(['lookup', 'pay']);
  expect(run.output).toEqual({ receipt: 'R-1', answer: '20 euros are on their way.' });
});

test('a large refund waits for an approval, and the approver may reduce the amount', async () => {
  const decisions = [{ node: 'ask', decision: 'approve', args: { euros: 200 }, by: 'ann' }] as const;
  const run = await runGraph(refund, { order: 'A-1002', euros: 300 }, { tools, decisions });
  expect(run.path).toEqual(['lookup', 'ask', 'pay']);
  expect(run.calls.find(({ name }) => name === 'issue_refund')?.args).toEqual({ order: 'A-1002', euros: 200 });
});

test('a refund above the price of the order is refused', async () => {
  const run = await runGraph(refund, { order: 'A-1001', euros: 80 }, { tools });
  expect(run.path).toEqual(['lookup', 'refuse']);
});
