import { describe, expect, test } from 'vitest';
import { desk } from '../../../examples/builder/edges.ts';
import { desk as agent } from '../../../examples/langgraph/react-agent.ts';
import { definition } from '../../../examples/builder/first-graph.ts';
import { mistakes } from '../../../examples/builder/mistakes.ts';
import { runGraph, scriptedModel } from '../../../src/testing/index.ts';
import { codeIn, readFile } from '../../support/readers/documentation.ts';

const blocks = codeIn('docs/builder.md', 'ts');

describe('the examples of docs/builder.md', () => {
  test.each(['first-graph', 'edges', 'mistakes'].map((name, index) => [name, index] as const))(
    'docs/builder.md contains the code of the example %s.ts',
    (name, index) => {
      expect(blocks).toHaveLength(3);
      expect(readFile(`examples/builder/${name}.ts`)).toContain(blocks[index]);
    },
  );

  test('the examples of docs/builder.md are valid graphs without warnings', () => {
    expect(definition.name).toBe('order-summary');
    expect(desk.issues()).toEqual([]);
  });

  test('docs/builder.md lists as many mistakes as the compiler finds', () => {
    expect(mistakes).toHaveLength(5);
  });
});

describe('the agent of docs/coming-from-langgraph.md', () => {
  test('the agent of docs/coming-from-langgraph.md is the code of examples/langgraph', () => {
    expect(codeIn('docs/coming-from-langgraph.md', 'ts')[1]).toBe(readFile('examples/langgraph/react-agent.ts'));
  });

  test.each([
    { amount: 100, asked: [] },
    { amount: 101, asked: ['issue_refund'] },
  ])('asks for an approval of a refund of more than 100 only: $amount', async ({ amount, asked }) => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'issue_refund', args: { amount } }] }, 'Done']);
    const issue_refund = { effect: 'keyed', execute: () => 'paid' } as const;
    const fakes = { models: { default: model }, tools: { lookup_order: () => ({}), issue_refund } };
    const decisions = [{ node: 'settle', decision: 'approve' }] as const;
    const run = await runGraph(agent, { messages: [{ role: 'user', content: 'Refund it' }] }, { ...fakes, decisions });
    expect(run).toMatchObject({ status: 'completed', output: { answer: 'Done' } });
    expect(run.approvals.map(({ tool }) => tool)).toEqual(asked);
  });
});
