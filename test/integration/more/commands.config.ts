import { CallError, defineConfig, defineTool } from '../../../src/index.ts';

/* A tool whose calls fail permanently. */

const broken = defineTool({
  name: 'broken',
  description: 'Fails.',
  parameters: { type: 'object' },
  execute: () => {
    throw new CallError('TOOL_FAILED', 'the shop is closed', { retryable: false, done: 'no' });
  },
});

export default defineConfig({ tools: [broken], roles: { reader: ['run:read'] } });
