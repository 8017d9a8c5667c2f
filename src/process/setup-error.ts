/** Settings or a configuration with which a process can't start. The message has one line per problem. */
export class SetupError extends Error {}

/**
 * Runs a process to its end. If it can't start, the reason is printed and the exit code is 1.
 * @throws any error but SetupError
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

/** Waits for three parts of a setup. @throws SetupError with the problems of all of them; any other error unchanged */
export async function awaitParts<A, B, C>(parts: readonly [Promise<A>, Promise<B>, Promise<C>]): Promise<[A, B, C]> {
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
