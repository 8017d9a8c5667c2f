import type { Schedule } from '../../store/schedules/schedule.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError } from '../http/errors.ts';

/** Finds a schedule of the caller's tenant. @throws ApiError 404 */
export async function findSchedule(
  { store }: Pick<ApiDeps, 'store'>,
  { tenantId }: Caller,
  id: string,
): Promise<Schedule> {
  const schedule = await store.schedules.find({ tenantId, id });
  if (!schedule) throw new ApiError('NOT_FOUND', `There is no schedule ${id}`);
  return schedule;
}
