import { once } from 'node:events';
import { Context } from '@temporalio/activity';
import { CallError, defineConfig, defineTool } from 'holdfast';

/** The event that the test emits in its process, where the tools run, too. */
export const CANCELED = 'test:canceled';
/** The event after which called functions no longer block. */
export const GO_ON = 'test:go-on';

const paying = { description: 'Pays', parameters: { type: 'object' }, effect: 'keyed' } as const;
/** A retry delay beyond the end of the test. */
const late = { initialInterval: '10m', maxInterval: '10m' } as const;

/** A tool that pays and completes the payment when its run cancels it. */
const paySlowly = defineTool({
  ...paying,
  name: 'paySlowly',
  async execute() {
    const { cancellationSignal } = Context.current();
    if (!cancellationSignal.aborted) await once(cancellationSignal, 'abort');
    return { receipt: 'r1' };
  },
});

/** A tool that may have paid, and whose retry is beyond the end of the test. */
const payUnluckily = defineTool({
  ...paying,
  name: 'payUnluckily',
  retry: late,
  async execute() {
    throw new Error('the line went dead');
  },
});

/**
 * A tool that may have paid, and fails as soon as the test announces the cancellation of the run, before the call
 * receives it.
 */
const payInHaste = defineTool({
  ...paying,
  name: 'payInHaste',
  retry: { maxAttempts: 1 },
  async execute() {
    await once(process, CANCELED);
    throw new Error('the line went dead');
  },
});

/** A tool that has not paid, with the same late retry. */
const payLater = defineTool({
  ...paying,
  name: 'payLater',
  effect: 'unsafe',
  retry: late,
  async execute() {
    throw new CallError('TOOL_FAILED', 'not today', { retryable: true, done: 'no' });
  },
});

const payBack = defineTool({
  name: 'payBack',
  description: 'Pays back',
  parameters: { type: 'object' },
  effect: 'keyed',
  execute: async (args) => args,
});

let hangs = true;
void once(process, GO_ON).then(() => (hangs = false));

/** Functions and tools that wait until they are canceled. */
export default defineConfig({
  defaults: { heartbeatTimeout: '10s' },
  tools: [paySlowly, payUnluckily, payInHaste, payLater, payBack],
  functions: {
    hang: {
      retry: { maxAttempts: 1 },
      async execute(_args, { signal }) {
        if (!hangs) return 'done';
        return await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('called back')));
        });
      },
    },
  },
});
