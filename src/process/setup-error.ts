/** Settings or a configuration with which a process can't begin. The message has a line for each problem. */
export class SetupError extends Error {}

/**
 * Runs a process to its end. One that can't begin prints the reason for people, and its exit code is 1.
 * @throws what is no SetupError
 */
export async function runProcess(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Waits for three parts of a setup. @throws SetupError with the problems of all of them; another error as it is */
export async function together<A, B, C>(parts: readonly [Promise<A>, Promise<B>, Promise<C>]): Promise<[A, B, C]> {
  const problems = (await Promise.allSettled(parts)).flatMap((part): unknown[] =>
    part.status === 'rejected' ? [part.reason] : [],
  );
  const messages = problems.map((problem) => {
    if (!(problem instanceof SetupError)) throw problem;
    return problem.message;
  });
  if (messages.length > 0) throw new SetupError(messages.join('\n'));
  return await Promise.all(parts);
}
