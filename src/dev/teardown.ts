/** What is to be done at the end, the last thing first. */
export interface Teardown {
  add(step: () => unknown): void;
  /** Does all of it, whatever fails on the way; doing it again does nothing. @throws the first failure */
  run(): Promise<void>;
}

export function openTeardown(): Teardown {
  const steps: (() => unknown)[] = [];
  return {
    add: (step) => void steps.push(step),
    async run() {
      const failures: unknown[] = [];
      for (let step = steps.pop(); step; step = steps.pop()) {
        try {
          await step();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Starts something of several parts. What was started is stopped again if the rest fails. */
export async function startWhole<T>(start: (teardown: Teardown) => Promise<T>): Promise<T> {
  const teardown = openTeardown();
  try {
    return await start(teardown);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}
