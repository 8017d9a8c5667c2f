/** Cleanup steps, executed in reverse order. */
export interface Teardown {
  add(step: () => unknown): void;
  /** Executes all steps, even if some fail; a second call does nothing. @throws the first failure */
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

/** Starts several parts together. If one fails, the started ones are stopped. */
export async function startWithTeardown<T>(start: (teardown: Teardown) => Promise<T>): Promise<T> {
  const teardown = openTeardown();
  try {
    return await start(teardown);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

/** Waits until all parts have started or failed, so that the teardown knows what to stop. @throws the first failure */
export async function settleAllParts<const T extends readonly unknown[]>(
  parts: T,
): Promise<{ readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}
