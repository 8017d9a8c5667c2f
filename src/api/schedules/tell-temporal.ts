import type { Schedule, ScheduleReference } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

type TellDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger'>;

/**
 * Makes Temporal's schedule as the row says, and again when the row has changed meanwhile; deletes it when the row is deleted
 * meanwhile, since whoever deletes it may have been faster.
 * @throws ApiError 422 when Temporal does not take its times, 503
 */
export async function tellTemporal({ store, engine }: TellDeps, reference: ScheduleReference): Promise<void> {
  const { schedules } = store;
  const first = await schedules.find(reference);
  for (let schedule = first; schedule; schedule = await schedules.find(reference)) {
    await engine.schedules.put(toTickInput(schedule), schedule);
    if (await schedules.markTold(schedule, schedule.revision)) return;
  }
  if (first) await engine.schedules.remove(toTickInput(reference));
}

export function toTickInput({ tenantId, id }: ScheduleReference) {
  return { tenantId, scheduleId: id };
}

/** Does what Temporal is needed for; if it is away, the sweeper does it later. @throws ApiError 422 */
export async function orLater(
  { logger }: TellDeps,
  { id }: ScheduleReference,
  tell: () => Promise<void>,
): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
    logger.warn({ error, schedule: id }, 'Temporal has not heard of a schedule yet');
  }
}

/** True if Temporal does not take the times of a schedule. */
export function areTimesRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 422;
}

/**
 * Does what a request may have left undone. A schedule whose times Temporal does not take after all is paused, so that it is not
 * told for ever.
 */
export async function healSchedule(
  deps: TellDeps,
  { isDeleted, ...reference }: ScheduleReference & { readonly isDeleted: boolean },
): Promise<void> {
  if (isDeleted) return await forgetSchedule(deps, reference);
  try {
    await tellTemporal(deps, reference);
  } catch (error) {
    if (!areTimesRefused(error)) throw error;
    const schedule = await deps.store.schedules.find(reference);
    if (schedule) await giveUp(deps, schedule, error);
  }
}

/**
 * Deletes Temporal's schedule of a removed row once more, and then the row: whoever has read the row before it was removed has
 * told Temporal by now.
 */
async function forgetSchedule({ store, engine }: TellDeps, reference: ScheduleReference): Promise<void> {
  await engine.schedules.remove(toTickInput(reference));
  await store.schedules.forget(reference);
}

async function giveUp({ store, logger }: TellDeps, schedule: Schedule, error: ApiError): Promise<void> {
  const paused = { ...schedule, paused: true, revision: schedule.revision + 1 };
  if (await store.schedules.replace(paused)) await store.schedules.markTold(paused, paused.revision);
  logger.warn({ error, schedule: schedule.id }, 'Temporal does not take the times of a schedule; it is paused');
}
