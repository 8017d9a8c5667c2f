/** A number that only grows. */
export interface Counter {
  /** @returns the number with this one */
  add(): number;
}

function createCounter(): Counter {
  let count = 0;
  return { add: () => ++count };
}

/** Counts what happens in this process. */
export const counters = {
  failedWorkflowTasks: createCounter(),
  runsPutAside: createCounter(),
} satisfies Readonly<Record<string, Counter>>;
