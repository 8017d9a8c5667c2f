import { defineConfig, defineTool, textOf } from '../../src/index.ts';

/* A model and tools that answer by themselves, for runs that become tests. */

export default defineConfig({
  models: {
    judge: {
      price: { input: 100, output: 0 },
      generate: ({ messages }) => {
        const isOther = textOf(messages.at(-1)?.content ?? '').includes('"other"');
        const verdict = { reason: isOther ? 'It went astray' : 'As it should be', score: isOther ? 2 : 5 };
        return { text: JSON.stringify(verdict), usage: { inputTokens: 10, outputTokens: 1 } };
      },
    },
    default: {
      price: { input: 1_000_000, output: 0 },
      generate: ({ messages }) => {
        const isDone = messages.some(({ role }) => role === 'tool');
        const usage = { inputTokens: 1, outputTokens: 1 };
        return isDone
          ? { text: `Done: ${textOf(messages.at(-1)?.content ?? '')}`, usage }
          : { toolCalls: [{ name: 'refund', args: { order: 'A-1', euros: 30 } }], finishReason: 'tool-calls', usage };
      },
    },
  },
  tools: [
    defineTool({
      name: 'find_customer',
      description: 'Finds the customer of an order',
      parameters: { type: 'object', properties: { order: { type: 'string' } } },
      effect: 'idempotent',
      execute: () => ({ name: 'Ada Lovelace', account: 'DE00 4711', age: 47_114_711 }),
    }),
    defineTool({
      name: 'refund',
      description: 'Pays back',
      parameters: { type: 'object', properties: { order: { type: 'string' }, euros: { type: 'number' } } },
      effect: 'keyed',
      approval: 'always',
      execute: ({ euros }) => `${euros} euros paid`,
    }),
  ],
});
