import { setTimeout } from 'node:timers/promises';
import { CallError, defineConfig, defineNodeType, defineTool } from 'holdfast';
import { z } from 'zod';

/*
 * What recorded runs use. All of it is code that answers the same each time, so that a history changes only when the
 * interpreter, or a run, does.
 */

const parameters = { type: 'object', properties: { job: { type: 'string' } }, required: ['job'] } as const;

const work = {
  description: 'Does a job',
  parameters,
  effect: 'keyed',
  retry: { maxAttempts: 1 },
  execute: ({ job }: { job: string }) => ({ job }),
} as const;

const look = { ...work, effect: 'idempotent', timeout: '5s', execution: 'local' } as const;

/** Its arguments are not what its code gets. */
const reads = {
  parameters: z.object({ job: z.string() }).transform(({ job }) => ({ job, parts: job.split(' ').length })),
  execute: ({ job }: { job: string }) => ({ job }),
};

const failedOnce = new Set<string>();

/** Whether this is the first call for a job of a run. */
function isFirst(runId: string, job: string): boolean {
  const isNew = !failedOnce.has(`${runId} ${job}`);
  failedOnce.add(`${runId} ${job}`);
  return isNew;
}

const threshold = defineNodeType({
  name: 'threshold',
  schema: {
    type: 'object',
    properties: { value: { type: 'number' }, above: { type: 'string' }, otherwise: { type: 'string' } },
    required: ['value', 'above', 'otherwise'],
  },
  execute: ({ value, above, otherwise }) => ({ goto: Number(value) > 1 ? above : otherwise }),
});

export default defineConfig({
  models: {
    default: {
      price: { input: 1, output: 2 },
      generate: ({ messages, tools, output }) => {
        const usage = { inputTokens: 100, outputTokens: 10 };
        if (output !== null) return { text: '{"verdict":"fine"}', usage };
        if (tools.length === 0 || messages.some(({ role }) => role === 'tool')) return { text: 'Done', usage };
        const toolCalls = tools.map(({ name }, at) => ({ id: `call-${at}`, name, args: { job: `asked ${at}` } }));
        return { toolCalls, usage };
      },
    },
  },
  tools: [
    defineTool({ ...work, name: 'work' }),
    defineTool({ ...work, name: 'ask', approval: 'always' }),
    defineTool({ ...work, name: 'elsewhere', taskQueue: 'elsewhere' }),
    defineTool({ ...work, name: 'large', execute: ({ job }) => ({ job, text: 'x'.repeat(100_000) }) }),
    defineTool({ ...look, name: 'look' }),
    defineTool({ ...work, ...reads, name: 'reads', approval: { when: 'args.parts > 1' } }),
    defineTool({ ...work, ...reads, name: 'reads_elsewhere', taskQueue: 'elsewhere' }),
    defineTool({ ...look, name: 'dawdles', execute: async ({ job }) => await setTimeout(1_100, { job }) }),
    defineTool({ ...look, name: 'hangs', execute: async ({ job }) => await setTimeout(2_100, { job }) }),
    defineTool({
      ...look,
      name: 'stumbles',
      retry: { initialInterval: '300ms' },
      execute({ job }, { runId }) {
        if (isFirst(runId, job)) throw new Error('the line went dead');
        return { job };
      },
    }),
    defineTool({
      ...work,
      name: 'slow',
      timeout: '10m',
      execute: async (_args, { signal }) =>
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('called back')));
        }),
    }),
    defineTool({ ...work, name: 'straggles', execute: async ({ job }) => await setTimeout(6_000, { job }) }),
    defineTool({
      ...work,
      name: 'unclear',
      effect: 'unsafe',
      execute({ job }, { runId }) {
        if (isFirst(runId, job)) throw new Error('the line went dead');
        return { job };
      },
    }),
    defineTool({
      ...work,
      name: 'unlucky',
      retry: { initialInterval: '10m', maxInterval: '10m' },
      execute() {
        throw new Error('the line went dead');
      },
    }),
    defineTool({
      ...work,
      name: 'refused',
      execute({ job }, { runId }) {
        if (isFirst(runId, job)) throw new CallError('TOOL_FAILED', 'not today', { retryable: false, done: 'no' });
        return { job };
      },
    }),
    defineTool({
      ...work,
      name: 'never',
      execute() {
        throw new CallError('TOOL_FAILED', 'not at all', { retryable: false, done: 'no' });
      },
    }),
  ],
  functions: {
    two: () => ({ two: 2 }),
    pauses: () => ({ control: 'pause', reason: 'a look' }),
    replans: () => ({ control: 'replan', goto: 'end' }),
  },
  nodeTypes: [threshold],
});
