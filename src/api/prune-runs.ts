import type { Pruned, Retention } from '../store/retention.ts';
import { toWorkflowId } from '../workflows/contract.ts';
import type { ApiDeps } from './environment.ts';

type PruneDeps = Pick<ApiDeps, 'store' | 'settings'>;

/** So many runs go in one transaction. */
const BATCH = 200;

/** Forgets what has outlived the installation's retention. @returns how many rows went */
export async function pruneRuns(deps: PruneDeps): Promise<Pruned> {
  const retention = retentionNow(deps);
  let total = await deps.store.retention.prune(retention, BATCH);
  for (let last = total; last.runs + last.checkpoints > 0;) {
    last = await deps.store.retention.prune(retention, BATCH);
    total = add(total, last);
  }
  return total;
}

/** Counts what `pruneRuns` would forget now. */
export async function countPrunable(deps: PruneDeps): Promise<Pruned> {
  return await deps.store.retention.count(retentionNow(deps));
}

function retentionNow({ settings }: PruneDeps): Retention {
  const { runsMs, checkpointsMs } = settings.retention;
  return { runsBefore: timeBefore(runsMs), checkpointsBefore: timeBefore(checkpointsMs), toWorkflowId };
}

function timeBefore(ageMs: number | null): string | null {
  return ageMs === null ? null : new Date(Date.now() - ageMs).toISOString();
}

function add(a: Pruned, b: Pruned): Pruned {
  return {
    runs: a.runs + b.runs,
    events: a.events + b.events,
    checkpoints: a.checkpoints + b.checkpoints,
    approvals: a.approvals + b.approvals,
    ledger: a.ledger + b.ledger,
    blobs: a.blobs + b.blobs,
  };
}
