/** More event loop turns than a worker takes from a claim to its call. */
const TURNS = 20;

/**
 * Resolves when every running worker has completed the work that it had begun.
 * @param healthUrls the health endpoint of each worker
 */
export async function settleWorkers(healthUrls: readonly string[]): Promise<void> {
  await Promise.all(healthUrls.map(settleWorker));
}

/**
 * Each response takes an event loop turn of the worker, however slow it is; a suspended worker responds when it
 * continues.
 */
async function settleWorker(healthUrl: string): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) if (!(await isAnswered(healthUrl))) return;
}

/** A stopped worker does not respond, and executes nothing. */
async function isAnswered(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
