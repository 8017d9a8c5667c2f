import type { Client } from '../../client/index.ts';
import { retryInWords } from '../../graph/wording/index.ts';

/** No event tells of an attempt that is made again, so the run is looked at. */
const LOOK_EVERY_MS = 1_000;

/** Prints each attempt of a run that has failed and is made again, once. @returns a function that ends that */
export function tellRetries({ runs }: Pick<Client, 'runs'>, id: string, print: (line: string) => void): () => void {
  const told = new Set<string>();
  let looking: Promise<void> | null = null;
  let isOver = false;
  const look = async (): Promise<void> => {
    const { retrying } = await runs.get(id);
    if (isOver) return;
    for (const retry of retrying) {
      const key = `${retry.node} ${retry.index} ${retry.attempt} ${retry.nextAttemptAt}`;
      if (!told.has(key)) print(`     ${retryInWords(retry, Date.now())}`);
      told.add(key);
    }
  };
  // A look that fails is left out: following the run tells why.
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = null));
  }, LOOK_EVERY_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
