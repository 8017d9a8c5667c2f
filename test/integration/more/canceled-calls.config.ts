import { once } from 'node:events';
import { Context } from '@temporalio/activity';
import { CallError, defineConfig, defineTool } from 'holdfast';

/** What the test emits at its process, which is that of the tools, too. */
export const CANCELED = 'test:canceled';
/** The same, before functions that are called do no longer hang. */
export const GO_ON = 'test:go-on';

const paying = { description: 'Pays', parameters: { type: 'object' }, effect: 'keyed' } as const;
/** Later than any test waits. */
const late = { initialInterval: '10m', maxInterval: '10m' } as const;

/** Pays, and has done so when the run has called it back. */
const paySlowly = defineTool({
  ...paying,
  name: 'paySlowly',
  async execute() {
    const { cancellationSignal } = Context.current();
    if (!cancellationSignal.aborted) await once(cancellationSignal, 'abort');
    return { receipt: 'r1' };
  },
});

/** May have paid, and is retried later than any test waits. */
const payUnluckily = defineTool({
  ...paying,
  name: 'payUnluckily',
  retry: late,
  async execute() {
    throw new Error('the line went dead');
  },
});

/** May have paid, and fails as soon as the test says that its run is canceled, before it hears of that. */
const payInHaste = defineTool({
  ...paying,
  name: 'payInHaste',
  retry: { maxAttempts: 1 },
  async execute() {
    await once(process, CANCELED);
    throw new Error('the line went dead');
  },
});

/** Has not paid, and is tried again as late. */
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

/** Functions and tools that have to be called back: they wait until they are. */
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
