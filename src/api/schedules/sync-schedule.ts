import type { Schedule, ScheduleReference } from '../../store/schedules/schedule.ts';
import type { UnsyncedSchedule } from '../../store/schedules/schedules.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

type SyncDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/**
 * Creates or updates the schedule in Temporal from its row, and repeats this if the row has changed meanwhile. If the
 * row was deleted meanwhile, it deletes the schedule in Temporal, because the deletion may have come first.
 * @throws ApiError 422 when Temporal refuses its times, 503
 */
export async function syncSchedule({ store, engine }: SyncDeps, reference: ScheduleReference): Promise<void> {
  const { schedules } = store;
  const first = await schedules.find(reference);
  for (let schedule = first; schedule; schedule = await schedules.find(reference)) {
    await engine.schedules.put(schedule, schedule);
    if (await schedules.markSynced(schedule, schedule.revision)) return;
  }
  if (first) await engine.schedules.remove(reference);
}

/**
 * Changes Temporal's schedule now. If Temporal does not answer in time, the sweeper does it again: the request may take
 * effect late, after a newer one.
 * @throws ApiError 422
 */
export async function orSyncLater(
  { store, logger }: SyncDeps,
  reference: ScheduleReference,
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
    await store.schedules.markUnsynced(reference);
    logger.warn({ error, schedule: reference.id }, 'Temporal does not have a schedule yet');
  }
}

/** Returns true if Temporal refuses the times of a schedule. */
export function areTimesRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 422;
}

/**
 * Does what a request may have left undone. A schedule is paused when Temporal refuses its times after all, so that it
 * is not sent for ever.
 */
export async function repairSchedule(deps: SyncDeps, { isDeleted, ...reference }: UnsyncedSchedule): Promise<void> {
  if (isDeleted) return await forgetSchedule(deps, reference);
  try {
    await syncSchedule(deps, reference);
  } catch (error) {
    if (!areTimesRefused(error)) throw error;
    const schedule = await deps.store.schedules.find(reference);
    if (schedule) await pauseRefused(deps, schedule, error);
  }
}

/**
 * Deletes Temporal's schedule of a removed row once more, and then the row. A request that has read the row before its
 * removal may have recreated Temporal's schedule.
 */
async function forgetSchedule({ store, engine }: SyncDeps, reference: ScheduleReference): Promise<void> {
  await engine.schedules.remove(reference);
  await store.schedules.forget(reference);
}

async function pauseRefused({ store, logger }: SyncDeps, schedule: Schedule, error: ApiError): Promise<void> {
  const paused = { ...schedule, paused: true, revision: schedule.revision + 1 };
  if (await store.schedules.replace(paused)) await store.schedules.markSynced(paused, paused.revision);
  logger.warn({ error, schedule: schedule.id }, 'Temporal does not take the times of a schedule; it is paused');
}
