import { setTimeout } from 'node:timers/promises';
import { CallError, defineConfig, defineTool } from 'holdfast';

const looking = {
  description: 'Looks something up',
  parameters: { type: 'object' },
  effect: 'idempotent',
  timeout: '10s',
  execution: 'local',
} as const;

const numberIn = (args: unknown, name: string): number => Number(new Map(Object.entries(Object(args))).get(name));

/** Returns its arguments at once. */
const look = defineTool({ ...looking, name: 'look', execute: async (args) => args });

/** Returns after the given number of milliseconds. */
const lookSlowly = defineTool({
  ...looking,
  name: 'lookSlowly',
  async execute(args, { signal }) {
    const ms = numberIn(args, 'ms');
    await setTimeout(ms, null, { signal });
    return { ms };
  },
});

/** Returns the given number of bytes. */
const lookAtMuch = defineTool({
  ...looking,
  name: 'lookAtMuch',
  async execute(args) {
    return 'x'.repeat(numberIn(args, 'bytes'));
  },
});

const failures = new Map<string, number>();

/** Fails the given number of times in each run. */
const lookUnluckily = defineTool({
  ...looking,
  name: 'lookUnluckily',
  retry: { maxAttempts: 5, initialInterval: '1ms', backoffCoefficient: 1 },
  async execute(args, { runId }) {
    const wanted = numberIn(args, 'failures');
    const before = failures.get(runId) ?? 0;
    failures.set(runId, before + 1);
    if (before < wanted) throw new CallError('TOOL_FAILED', 'not now', { retryable: true, done: 'no' });
    return { attempts: before + 1 };
  },
});

/** Always fails. */
const lookInVain = defineTool({
  ...looking,
  name: 'lookInVain',
  async execute() {
    throw new CallError('TOOL_FAILED', 'there is nothing', { retryable: false, done: 'no' });
  },
});

const ask = defineTool({ ...looking, name: 'ask', execution: 'activity', execute: async (args) => args });

/** Short calls that the worker of the workflow task makes itself. */
export default defineConfig({
  tools: [look, lookSlowly, lookAtMuch, lookUnluckily, lookInVain, ask],
  functions: {
    double: { effect: 'idempotent', timeout: '5s', execute: async (args) => ({ twice: 2 * numberIn(args, 'n') }) },
  },
  defaults: { continueAfter: 100 },
});
