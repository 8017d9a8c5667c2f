import type { FailingRuns } from '../../store/failing-runs.ts';
import type { Store } from '../../store/store.ts';

/** The number of runs for which one check asks Temporal. */
export const BATCH = 100;

/** Limits the concurrent requests to Temporal. */
export const LOOKS_AT_ONCE = 8;

/** Some of the active runs. */
interface Page {
  readonly runs: Awaited<ReturnType<FailingRuns['active']>>;
  /** True when the next page starts from the beginning. */
  readonly isLast: boolean;
}

/** @returns a function that reads the active runs page by page, and starts again after the last page */
export function activeRunsInTurns(): (store: Pick<Store, 'failingRuns'>) => Promise<Page> {
  let after = '';
  return async ({ failingRuns }) => {
    const runs = await failingRuns.active(after, BATCH);
    const isLast = runs.length < BATCH;
    after = isLast ? '' : (runs.at(-1)?.id ?? '');
    return { runs, isLast };
  };
}
