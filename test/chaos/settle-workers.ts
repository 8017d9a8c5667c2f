/** A worker takes fewer turns from a claim to the call that it is for. */
const TURNS = 20;

/**
 * Resolves when every worker that runs has done what it was about to do.
 * @param healthUrls one for each worker
 */
export async function settleWorkers(healthUrls: readonly string[]): Promise<void> {
  await Promise.all(healthUrls.map(settleWorker));
}

/** Each answer takes a turn of the worker, however slow it is; one that stands still answers when it goes on. */
async function settleWorker(healthUrl: string): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) if (!(await isAnswered(healthUrl))) return;
}

/** A worker that is gone answers nothing, and does nothing. */
async function isAnswered(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
