import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { sleep, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/*
 * Failing workflow code for a test's bundle (`poison-bundle.ts`). The name of a graph selects the failure, and whether
 * it comes at once (`now-throws`) or after a timer has fired (`late-throws`).
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
    // A class of the host gives access to the environment outside the sandbox.
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
  // Fails once, and in the replay after that emits a command that is not in the history.
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
