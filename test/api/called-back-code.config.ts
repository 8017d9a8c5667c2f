import { once } from 'node:events';
import { Context } from '@temporalio/activity';
import { defineConfig, defineTool } from 'holdfast';

/** Pays, and has done so when the run has called it back. */
const paySlowly = defineTool({
  name: 'paySlowly',
  description: 'Pays',
  parameters: { type: 'object' },
  effect: 'keyed',
  async execute() {
    const { cancellationSignal } = Context.current();
    if (!cancellationSignal.aborted) await once(cancellationSignal, 'abort');
    return { receipt: 'r1' };
  },
});

const payBack = defineTool({
  name: 'payBack',
  description: 'Pays back',
  parameters: { type: 'object' },
  effect: 'keyed',
  execute: async (args) => args,
});

const called = new Set<string>();

/** Functions and tools that have to be called back: they wait until they are. */
export default defineConfig({
  defaults: { heartbeatTimeout: '1s' },
  tools: [paySlowly, payBack],
  functions: {
    hangsOnce: {
      retry: { maxAttempts: 1 },
      async execute(_args, { runId, signal }) {
        if (called.has(runId)) return 'done';
        called.add(runId);
        return await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('called back')));
        });
      },
    },
  },
});
