import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { sleep, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/*
 * Workflow code that fails, for a test's bundle (`poison-bundle.ts`). The name of a graph says how, and if at once
 * (`now-throws`) or when a timer has fired (`late-throws`).
 */

type Moment = 'now' | 'late';

const POISONS: Readonly<Record<string, () => void>> = {
  throws() {
    throw new Error('Poison');
  },
  loops() {
    for (;;);
  },
  gluts() {
    const kept: unknown[] = [];
    for (;;) kept.push(Array.from({ length: 2_000_000 }).fill(1.5));
  },
  kills() {
    // A class of the host leads out of the sandbox.
    const host: typeof process = URL.constructor('return process')();
    host.kill(host.pid, 'SIGKILL');
  },
};

const GRAPH_NAME = defineSearchAttributeKey('GraphName', SearchAttributeType.KEYWORD);

function poison(moment: Moment): void {
  const { typedSearchAttributes, unsafe } = workflowInfo();
  const name = typedSearchAttributes.get(GRAPH_NAME) ?? '';
  const [when, kind = ''] = name.split('-');
  if (when === moment) POISONS[kind]?.();
  // Fails once, and does in the replay after that what is not in its history.
  if (name !== 'differs') return;
  if (unsafe.isReplaying) void sleep('1h');
  else if (moment === 'late') throw new Error('Poison');
}

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        poison('now');
        return await next(input);
      },
    },
  ],
  internals: [
    {
      activate(input, next) {
        if (input.activation.jobs?.some(({ fireTimer }) => fireTimer)) poison('late');
        next(input);
      },
    },
  ],
});
