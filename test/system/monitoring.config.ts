import { CallError, defineConfig, defineNodeType, defineTool } from 'holdfast';

const failed = new Set<string>();

/** Fails the first attempt of each call, or all of them. */
const flaky = defineTool({
  name: 'flaky',
  description: 'Works the second time',
  parameters: { type: 'object' },
  effect: 'keyed',
  retry: { maxAttempts: 2, initialInterval: '10ms' },
  async execute(args: { readonly never?: boolean }, { key, logger }) {
    logger.info({ euros: 5 }, 'the tool says');
    if (args.never || !failed.has(key)) {
      failed.add(key);
      throw new CallError('TOOL_FAILED', 'not now', { retryable: true, done: 'no' });
    }
    return 'done';
  },
});

/** A model, a tool, a function and a node type that are measured and that log. */
export default defineConfig({
  models: {
    default: {
      price: { input: 1, output: 2 },
      retry: { maxAttempts: 1 },
      generate({ system }, { emit }) {
        if (system === 'fail') throw new Error('no answer');
        emit('Hello');
        return { text: 'Hello', usage: { inputTokens: 30, outputTokens: 2 } };
      },
    },
  },
  tools: [flaky],
  functions: {
    look: {
      effect: 'idempotent',
      execute(args, { logger }) {
        logger.info('the function says');
        return args;
      },
    },
  },
  nodeTypes: [
    defineNodeType({
      name: 'greet',
      schema: { type: 'object' },
      execute(_config, { logger }) {
        logger.info('the node says');
        return { greeted: true };
      },
    }),
  ],
});
