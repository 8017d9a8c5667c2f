import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { END, START, StateGraph, defineConfig, defineTool } from '../../../src/index.ts';
import { runGraph, scriptedModel } from '../../../src/testing/index.ts';

/* An answer that the limit of tokens has cut off among its tool calls. What is left of the arguments may fit the tool. */

const execute = vi.fn<(args: unknown) => string>(() => 'purged');
const purge = defineTool({
  name: 'purge',
  description: 'Purges what is older; everything, if it is not said',
  parameters: z.object({ olderThan: z.string().optional() }),
  effect: 'idempotent',
  execute,
});
const price = { input: 1, output: 10 };
const config = defineConfig({
  models: {
    default: { generate: () => ({}), price },
    spare: { generate: () => ({}), price },
  },
});
const cutOff = {
  toolCalls: [{ tool: 'purge', args: {} }],
  finishReason: 'length',
  usage: { inputTokens: 7, outputTokens: 100 },
} as const;

const cleaning = (model: string | readonly [string, string]) =>
  new StateGraph({ name: 'cleaning', channels: { said: {}, usage: {} } })
    .addNode('clean', {
      type: 'agent',
      model,
      prompt: 'Clean up',
      tools: ['purge'],
      write: { said: '{{ result.text }}', usage: '{{ result.usage }}' },
    })
    .addSequence([START, 'clean', END]);

test('a truncated answer of a model calls no tool, and its tokens count', async () => {
  const models = { default: scriptedModel([cutOff]) };
  const run = await runGraph(cleaning('default'), {}, { config, models, tools: { purge } });
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'MODEL_FAILED', attempts: 1, cause: { code: 'truncated' } },
    usage: { inputTokens: 7, outputTokens: 100, modelCalls: 1, costUsd: 0.001_007, toolCalls: 0 },
  });
  expect(run.error?.message).toContain('raise maxOutputTokens');
  expect(execute).not.toHaveBeenCalled();
});

test('after a truncated answer the node’s fallback model is called, and the result has the tokens of both', async () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const models = { default: scriptedModel([cutOff]), spare: scriptedModel([{ text: 'Nothing to do', usage }]) };
  const run = await runGraph(cleaning(['default', 'spare']), {}, { config, models, tools: { purge } });
  expect(run).toMatchObject({
    status: 'completed',
    state: { said: 'Nothing to do', usage: { inputTokens: 10, outputTokens: 102 } },
    usage: { inputTokens: 10, outputTokens: 102, modelCalls: 2 },
  });
  expect(execute).not.toHaveBeenCalled();
});
