import { permissionsOf } from '../../graph/definition/index.ts';
import type { Roles } from '../../graph/definition/index.ts';
import type { Schedule } from '../../store/schedules/schedule.ts';
import { requireGraphSwitchedOn, requireMayStart } from '../administration/require-may-start.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';
import { sendCancel } from '../runs/send-signal.ts';

export type FireDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

/**
 * The person as whom the runs of a schedule act: its owner, with the roles that the owner had when changing it.
 * @param known what these roles permit now
 */
export function ownerOf({ tenantId, owner, roles }: Schedule, known: Roles): Caller {
  return { tenantId, sub: owner, roles, permissions: permissionsOf(roles, known) };
}

/**
 * Sends a run of a schedule its own cancel, so that it compensates, and does not wait for a worker. It may be repeated until the
 * run has ended. The run continues while the owner may cancel none, or while no other run may begin in its place.
 * @returns true if Temporal has received the cancel
 * @throws ApiError 503
 */
export async function cancelRun(deps: FireDeps, schedule: Schedule, runId: string): Promise<boolean> {
  const owner = ownerOf(schedule, deps.settings.roles);
  const run = await deps.store.runs.find(runId);
  if (!run || !owner.permissions.has('run:control') || !(await mayStartNow(deps, schedule))) return false;
  // The cancel has the same id each time, so that the run takes it once.
  const cancel = { id: `${runId}.overlap`, reason: `The schedule ${schedule.id} starts its next run` };
  return await sendCancel(deps, owner, run, cancel);
}

/** @returns false while the tenant may start no run, or its graph is switched off */
async function mayStartNow(deps: FireDeps, { tenantId, graph }: Schedule): Promise<boolean> {
  const [name = graph] = graph.split('@');
  try {
    // All runs count against the quota, so no run is named.
    await requireMayStart(deps, { tenantId, id: '' });
    await requireGraphSwitchedOn(deps, tenantId, name);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
