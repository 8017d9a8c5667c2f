import type { Approval } from '../../graph/run/index.ts';
import type { ApiDeps } from '../deps.ts';
import { unavailable } from '../http/errors.ts';
import { WRITTEN_WITHIN_MS, untilRun } from '../runs/until-run.ts';

/** Reads an approval once its row is as the run has said; rows lag behind the run. @throws ApiError 503 */
export async function untilWritten(
  { store }: Pick<ApiDeps, 'store'>,
  { id, runId }: Pick<Approval, 'id' | 'runId'>,
  isWritten: (approval: Approval) => boolean,
): Promise<Approval> {
  const look = async () => (await store.approvals.find(id))?.approval;
  const isWanted = (found?: Approval): boolean => found !== undefined && isWritten(found);
  const approval = await untilRun(store, { runId, look, isWanted, withinMs: WRITTEN_WITHIN_MS });
  if (!approval || !isWritten(approval)) throw unavailable('The journal');
  return approval;
}
