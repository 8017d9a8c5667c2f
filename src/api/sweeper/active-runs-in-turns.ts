import type { FailingRuns } from '../../store/failing-runs.ts';
import type { Store } from '../../store/store.ts';

/** Some of the active runs. */
interface Page {
  readonly runs: Awaited<ReturnType<FailingRuns['active']>>;
  /** The next page begins anew. */
  readonly isLast: boolean;
}

/** @returns a function that finds the next active runs, some at a time, and begins anew after the last ones */
export function activeRunsInTurns(atOnce: number): (store: Pick<Store, 'failingRuns'>) => Promise<Page> {
  let after = '';
  return async ({ failingRuns }) => {
    const runs = await failingRuns.active(after, atOnce);
    const isLast = runs.length < atOnce;
    after = isLast ? '' : (runs.at(-1)?.id ?? '');
    return { runs, isLast };
  };
}
