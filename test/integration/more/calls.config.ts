import { setTimeout as sleep } from 'node:timers/promises';
import { CallError, defineConfig, defineNodeType, defineTool } from 'holdfast';

const failed = new Set<string>();

/** Fails the first attempt of each call. */
const flaky = defineTool({
  name: 'flaky',
  description: 'Works the second time',
  parameters: { type: 'object' },
  effect: 'keyed',
  retry: { maxAttempts: 3, initialInterval: '10ms' },
  async execute(args, { key }) {
    if (!failed.has(key)) {
      failed.add(key);
      throw new CallError('TOOL_FAILED', 'not now', { retryable: true, done: 'no' });
    }
    return { echo: args };
  },
});

/** A model, a tool, functions and a node type for the list of calls. */
export default defineConfig({
  models: {
    default: {
      contextWindow: 200,
      price: { input: 1, output: 2 },
      generate: () => ({ text: 'Hello', usage: { inputTokens: 30, outputTokens: 2 } }),
    },
  },
  tools: [flaky],
  functions: {
    double: { effect: 'unsafe', execute: async (args) => ({ given: args }) },
    slow: { effect: 'idempotent', timeout: '5s', execute: async () => await sleep(300, null) },
    look: { effect: 'idempotent', timeout: '5s', execute: async (args) => ({ looked: args }) },
  },
  nodeTypes: [
    defineNodeType({
      name: 'greet',
      schema: { type: 'object', properties: { whom: { type: 'string' } } },
      execute: async (config) => ({ greeted: config['whom'] ?? null }),
    }),
  ],
});
