import { ulid } from 'ulid';
import type { Schedule } from '../../store/schedules/schedule.ts';
import { ApiError, notNow } from '../http/errors.ts';
import { toTickInput } from './tell-temporal.ts';
import type { TurnDeps } from './take-turn.ts';
import { TICKS_KEPT } from './ticks-kept.ts';

/** The times that one request takes. */
const MAX_TIMES = 100;

/**
 * Takes the times between two that are over. One that was taken before is not taken again.
 * @returns all times between the two
 * @throws ApiError 422 for too many, or for times of which the schedule does not remember if they were taken; 503
 */
export async function backfill(
  { store, engine }: Pick<TurnDeps, 'store' | 'engine'>,
  schedule: Schedule,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const before = new Date(Date.parse(from) - 1).toISOString();
  const times = await engine.schedules.timesBetween(toTickInput(schedule), before, to);
  if (!times) {
    await store.schedules.markLost(schedule);
    throw notNow('Temporal does not have the schedule yet; the request may be sent again');
  }
  if (times.length > MAX_TIMES) {
    const issues = [{ path: '/to', message: `The schedule has more than ${MAX_TIMES} times until then` }];
    throw new ApiError('INVALID_REQUEST', 'These are too many times for one request', { issues });
  }
  await requireRemembered(store, schedule, times);
  const ticks = times.map((at) => ({ at, kind: 'backfill' as const, runId: ulid() }));
  await store.scheduleTicks.take(schedule, ticks);
  return times;
}

/** A tick that was forgotten was older than all that are kept, so no time from the oldest of these on was. */
async function requireRemembered(
  { scheduleTicks }: TurnDeps['store'],
  schedule: Schedule,
  times: readonly string[],
): Promise<void> {
  const since = await scheduleTicks.oldestOf(schedule, TICKS_KEPT);
  if (since === null || times.every((at) => at >= since)) return;
  const message = `The schedule remembers its last ${TICKS_KEPT} times, from ${since} on; earlier ones may have been taken`;
  throw new ApiError('INVALID_REQUEST', 'The schedule has forgotten some of these times', {
    issues: [{ path: '/from', message }],
  });
}
