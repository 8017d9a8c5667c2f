import { after, runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { refund } from './refund-graph.ts';
import { issueRefund, lookupOrder } from './refund-tools.ts';

const tools = {
  lookup_order: { ...lookupOrder, execute: () => ({ total: 500 }) },
  issue_refund: { ...issueRefund, execute: () => ({ receipt: 'R-1' }) },
};

test('a small refund is paid without an approval', async () => {
  const model = scriptedModel(['20 euros are on their way.']);
  const run = await runGraph(refund, { order: 'A-1', euros: 20 }, { models: { default: model }, tools });
  expect(run.status).toBe('completed');
  expect(run.path).toEqual(['lookup', 'pay', 'tell']);
  expect(run.output).toEqual({ receipt: 'R-1', answer: '20 euros are on their way.' });
  expect(model.requests[0]?.messages.at(-1)?.content).toContain('20 euros');
});

test('a large refund waits for an approval, and the approver may reduce the amount', async () => {
  const run = await runGraph(
    refund,
    { order: 'A-1', euros: 300 },
    {
      models: { default: scriptedModel(['200 euros are on their way.']) },
      tools,
      decisions: [{ node: 'ask', decision: 'approve', args: { euros: 200 }, by: 'ann', after: '3h' }],
    },
  );
  expect(run.approvals).toMatchObject([{ node: 'ask', status: 'approved', decisions: [{ by: 'ann' }] }]);
  expect(run.calls.find(({ name }) => name === 'issue_refund')?.args).toEqual({ order: 'A-1', euros: 200 });
  expect(run.durationMs).toBe(3 * 3_600_000);
  run.assertExhausted();
});

test('a run with a large refund keeps waiting when nobody decides the approval', async () => {
  const run = await runGraph(refund, { order: 'A-1', euros: 300 }, { tools });
  expect(run.status).toBe('waiting');
  expect(run.waitingFor).toMatchObject([{ kind: 'approval', node: 'ask' }]);
});

test('a large refund is refused when its approval expires', async () => {
  const decisions = [{ node: 'ask', decision: 'timeout' }] as const;
  const run = await runGraph(refund, { order: 'A-1', euros: 300 }, { tools, decisions });
  expect(run.path).toEqual(['lookup', 'ask', 'refuse']);
  expect(run.durationMs).toBe(2 * 86_400_000);
});

test('a payment is retried under the same key while the shop is slow', async () => {
  const keys: string[] = [];
  const pay = {
    ...issueRefund,
    execute: (_: unknown, { key, attempt }: { key: string; attempt: number }) => {
      keys.push(key);
      return attempt < 3 ? after('61s', { receipt: 'too late' }) : { receipt: 'R-1' };
    },
  };
  const models = { default: scriptedModel(['Done.']) };
  const run = await runGraph(refund, { order: 'A-1', euros: 20 }, { models, tools: { ...tools, issue_refund: pay } });
  expect(run.state.receipt).toBe('R-1');
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
});
