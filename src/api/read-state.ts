import { createHash } from 'node:crypto';
import { foldCheckpoints } from '../graph/checkpoint.ts';
import type { Checkpoint } from '../graph/checkpoint.ts';
import type { RunRecord } from '../store/runs.ts';
import type { ApiDeps } from './environment.ts';
import { ApiError } from './errors.ts';

/**
 * The state of a run at one of its checkpoints.
 * @param wanted `null`: the newest, with what the open superstep is going to write
 * @throws ApiError `UNKNOWN_CHECKPOINT`
 */
export async function readState({ store }: Pick<ApiDeps, 'store'>, run: RunRecord, wanted: string | null) {
  const chain = await store.journal.checkpointChain(run.id, wanted);
  if (!chain) throw new ApiError('UNKNOWN_CHECKPOINT', `Run ${run.id} has no checkpoint "${wanted}"`);
  const last = chain.at(-1) ?? null;
  const visited = await store.journal.visited(run.id, last?.seq ?? 0);
  return { values: foldCheckpoints(chain), checkpoint: last?.id ?? null, visited, ...placeOf(run, last, wanted) };
}

/** Where the run goes on from there: for the newest checkpoint the run itself knows better. */
function placeOf(
  { view }: RunRecord,
  last: Checkpoint | null,
  wanted: string | null,
): Pick<NonNullable<RunRecord['view']>, 'next' | 'pending'> {
  const isNow = wanted === null || wanted === view?.checkpointId;
  if (isNow && view) return { next: view.next, pending: view.pending };
  return { next: last?.next ?? [], pending: [] };
}

/** A strong validator (RFC 9110, 8.8.3) of the state at a checkpoint. */
export function etagOf(runId: string, checkpoint: string | null): string {
  return `"${createHash('sha256').update(`${runId} ${checkpoint}`).digest('base64url').slice(0, 22)}"`;
}
