import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { supportDesk } from './graph.ts';
import { issueRefund, lookupOrder, readManual } from './tools.ts';

const tools = { lookup_order: lookupOrder, issue_refund: issueRefund, read_manual: readManual };
const asks = (content: string) => ({ customer: 'c-7', messages: { role: 'user', content } }) as const;
const passTo = (to: string, note: string) => ({ toolCalls: [{ tool: `handoff_to_${to}`, args: { note } }] });
const call = (tool: string, args: Readonly<Record<string, string | number>>) => ({ toolCalls: [{ tool, args }] });

test('a question about a payment is handed over to billing, with the conversation and a note', async () => {
  const model = scriptedModel([
    passTo('billing', 'wants 300 euros back for A-1002'),
    call('lookup_order', { order: 'A-1002' }),
    call('issue_refund', { order: 'A-1002', euros: 300 }),
    '250 euros are on their way.',
  ]);
  const decisions = [
    { node: 'billing', decision: 'approve', by: 'ann', args: { order: 'A-1002', euros: 250 } },
  ] as const;
  const run = await runGraph(supportDesk, asks('I want 300 euros back.'), {
    models: { default: model },
    tools,
    decisions,
  });
  expect(run.path).toEqual(['front', 'billing']);
  expect(run.output).toEqual({ answer: '250 euros are on their way.' });
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('wants 300 euros back for A-1002');
});

test('an agent that can not help hands back, and the next one is asked', async () => {
  const models = {
    default: scriptedModel([
      passTo('billing', 'a kettle'),
      passTo('front', 'it is broken, nothing to pay'),
      passTo('tech', 'the kettle does not switch on'),
      call('read_manual', { item: 'Kettle' }),
      'Press the button for three seconds.',
    ]),
  };
  const run = await runGraph(supportDesk, asks('My kettle!'), { models, tools });
  expect(run.path).toEqual(['front', 'billing', 'front', 'tech']);
});

test('agents that hand over to each other for ever are stopped', async () => {
  const turns = Array.from({ length: 12 }, (_, turn) => passTo(turn % 2 === 0 ? 'tech' : 'front', 'not me'));
  const run = await runGraph(supportDesk, asks('Hello'), { models: { default: scriptedModel(turns) }, tools });
  expect(run.error?.code).toBe('GRAPH_RECURSION_LIMIT');
});
