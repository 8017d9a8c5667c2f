import { defineConfig } from 'holdfast';

const called = new Set<string>();

/** Functions that have to be called back: they wait until they are. */
export default defineConfig({
  defaults: { heartbeatTimeout: '1s' },
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
