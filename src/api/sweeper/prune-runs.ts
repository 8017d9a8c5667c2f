import { NOTHING_PRUNED, addPruned } from '../../store/retention.ts';
import type { Pruned, Retention } from '../../store/retention.ts';
import { fromWorkflowId, toWorkflowId } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';

type PruneDeps = Pick<ApiDeps, 'store' | 'settings'>;

/** The number of runs in one transaction. */
const PRUNED_AT_ONCE = 200;

/**
 * Deletes data that is older than the installation's retention.
 * @param stopping ends the work after the current batch
 * @returns the numbers of deleted rows
 */
export async function pruneRuns(deps: PruneDeps, stopping: AbortSignal): Promise<Pruned> {
  let total = NOTHING_PRUNED;
  if (stopping.aborted) return total;
  for await (const pruned of deps.store.retention.prune(retentionNow(deps), PRUNED_AT_ONCE)) {
    total = addPruned(total, pruned);
    if (stopping.aborted) break;
  }
  return total;
}

/** Counts what `pruneRuns` would delete now. */
export async function countPrunable(deps: PruneDeps): Promise<Pruned> {
  return await deps.store.retention.count(retentionNow(deps));
}

function retentionNow({ settings }: PruneDeps): Retention {
  const { runsMs, checkpointsMs } = settings.retention;
  return {
    runsBefore: runsMs === null ? null : timeBefore(runsMs),
    checkpointsBefore: checkpointsMs === null ? null : timeBefore(checkpointsMs),
    toWorkflowId,
    fromWorkflowId,
  };
}

/** The time at which something was written that has an age now. */
export function timeBefore(ageMs: number): string {
  return new Date(Date.now() - ageMs).toISOString();
}
