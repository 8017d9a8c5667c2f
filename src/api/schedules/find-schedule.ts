import type { Schedule } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

/** Finds a schedule of the caller's tenant; an admin sees those of all tenants. @throws ApiError 404 */
export async function findSchedule({ store }: Pick<ApiDeps, 'store'>, caller: Caller, id: string): Promise<Schedule> {
  const schedule = await lookForSchedule({ store }, caller, id);
  if (!schedule) throw new ApiError('NOT_FOUND', `There is no schedule ${id}`);
  return schedule;
}

/** As `findSchedule`. @returns `null` without one */
export async function lookForSchedule(
  { store }: Pick<ApiDeps, 'store'>,
  { tenantId, permissions }: Pick<Caller, 'tenantId' | 'permissions'>,
  id: string,
): Promise<Schedule | null> {
  return await store.schedules.find({ tenantId: permissions.has('admin') ? null : tenantId, id });
}
