import { meter } from './meter.ts';

/** A number that only grows. */
export interface Counter {
  /** @param more one by default. @returns the number with these */
  add(more?: number): number;
}

function createCounter(name: string, description: string): Counter {
  const counter = meter.createCounter(name, { description });
  let count = 0;
  return {
    add(more = 1) {
      counter.add(more);
      count += more;
      return count;
    },
  };
}

/** Counts what happens in this process. */
export const counters = {
  failedWorkflowTasks: createCounter(
    'holdfast.workflow_task.failures',
    'Workflow tasks that have failed at this worker',
  ),
  runsPutAside: createCounter('holdfast.runs.put_aside', 'Poisoned runs that this process has ended'),
  embeddedTokens: createCounter('holdfast.embeddings.tokens', 'Tokens that memory was embedded and searched with'),
  embeddingCost: createCounter('holdfast.embeddings.cost_micros', 'The cost of these tokens, in millionths of a USD'),
} satisfies Readonly<Record<string, Counter>>;
