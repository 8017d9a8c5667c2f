import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { operations } from './graphs/operations.ts';
import { restartService } from './graphs/restart-service.ts';
import { readMetrics, restart } from './tools.ts';

const tools = { read_metrics: readMetrics, restart };
const graphs = { 'restart-service': restartService };
const input = { messages: { role: 'user', content: 'The search is broken, please do something.' } } as const;
const turns = (last: string) => [
  { toolCalls: [{ tool: 'read_metrics', args: { service: 'search' } }] },
  { toolCalls: [{ tool: 'restart-service', args: { service: 'search', why: '41 % of its requests fail' } }] },
  last,
];

test('a person agrees inside of the graph that the agent has called', async () => {
  const models = { default: scriptedModel(turns('I have restarted search.')) };
  const decisions = [{ node: 'ask', decision: 'approve', by: 'ann' }] as const;
  const run = await runGraph(operations, input, { models, tools, graphs, decisions });
  expect(run.output).toEqual({ answer: 'I have restarted search.' });
  expect(run.calls.map(({ name }) => name)).toContain('restart');
});

test('when nobody agrees the agent is told so, and nothing is restarted', async () => {
  const model = scriptedModel(turns('Nobody has agreed, so I left it as it is.'));
  const decisions = [{ node: 'ask', decision: 'reject', by: 'ann', reason: 'a release' }] as const;
  const run = await runGraph(operations, input, { models: { default: model }, tools, graphs, decisions });
  expect(run.calls.map(({ name }) => name)).not.toContain('restart');
  expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('rejected');
});
