import type { FailingRuns } from '../../store/failing-runs.ts';
import type { Store } from '../../store/store.ts';

/** @returns a function that finds the next active runs, some at a time, and begins anew after the last ones */
export function activeRunsInTurns(atOnce: number): (store: Store) => ReturnType<FailingRuns['active']> {
  let after = '';
  return async ({ failingRuns }) => {
    const runs = await failingRuns.active(after, atOnce);
    after = runs.length < atOnce ? '' : (runs.at(-1)?.id ?? '');
    return runs;
  };
}
