import { expect, test } from 'vitest';
import { z } from 'zod';
import { END, START, StateGraph, defineConfig, defineTool } from '../../../src/index.ts';
import { runGraph, scriptedModel } from '../../../src/testing/index.ts';

/* Answers in which a model says nothing and calls nothing, in the middle of an agent's work. */

const price = { input: 1, output: 10 };
const retry = { initialInterval: '1ms' };
const config = defineConfig({ models: { default: { generate: () => ({}), price, retry } } });
const graph = new StateGraph({ name: 'paying', channels: { said: {} } })
  .addNode('pay', { type: 'agent', prompt: 'Pay', tools: ['pay'], write: { said: '{{ result.text }}' } })
  .addSequence([START, 'pay', END]);
const pay = defineTool({
  name: 'pay',
  description: 'Pays the open invoice',
  parameters: z.object({}),
  effect: 'idempotent',
  execute: () => 'paid',
});
const tools = { pay };
const calling = { toolCalls: [{ tool: 'pay', args: {} }] };

test('an empty answer that ended at the token limit fails the agent, and its tokens count', async () => {
  const usage = { inputTokens: 7, outputTokens: 100 };
  const model = scriptedModel([calling, { text: '', finishReason: 'length', usage }]);
  const run = await runGraph(graph, {}, { config, models: { default: model }, tools });
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'MODEL_FAILED', attempts: 1, cause: { code: 'truncated' } },
    usage: { ...usage, modelCalls: 2, costUsd: 0.001_007, toolCalls: 1 },
  });
});

test.each(['other', 'tool-calls'] as const)(
  'an empty model answer that ended by %s is requested again',
  async (finishReason) => {
    const usage = { inputTokens: 7, outputTokens: 100 };
    const model = scriptedModel([calling, { text: '', finishReason, usage }, { text: 'Done', usage }]);
    const run = await runGraph(graph, {}, { config, models: { default: model }, tools });
    expect(run).toMatchObject({
      status: 'completed',
      state: { said: 'Done' },
      usage: { inputTokens: 14, outputTokens: 200, modelCalls: 2, costUsd: 0.002_014 },
    });
    model.assertExhausted();
  },
);

test('an empty answer that the model ended itself is the answer of the agent', async () => {
  const model = scriptedModel([calling, { text: '', finishReason: 'stop' }]);
  const run = await runGraph(graph, {}, { config, models: { default: model }, tools });
  expect(run).toMatchObject({ status: 'completed', state: { said: '' } });
});
