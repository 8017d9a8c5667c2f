import { meter } from './meter.ts';

/** A number that only grows. */
export interface Counter {
  /** @returns the number with this one */
  add(): number;
}

function createCounter(name: string, description: string): Counter {
  const counter = meter.createCounter(name, { description });
  let count = 0;
  return {
    add() {
      counter.add(1);
      return ++count;
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
} satisfies Readonly<Record<string, Counter>>;
