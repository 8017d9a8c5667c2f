import { ulid } from 'ulid';
import type { Schedule } from '../../store/schedules/schedule.ts';
import { ApiError, notNow } from '../http/errors.ts';
import { toTickInput } from './tell-temporal.ts';
import type { TurnDeps } from './take-turn.ts';

/** The times that one request takes. */
const MAX_TIMES = 100;

/**
 * Takes the times between two that are over. One that was taken before is not taken again.
 * @returns all times between the two
 * @throws ApiError 422 for too many, 503
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
  const ticks = times.map((at) => ({ at, kind: 'backfill' as const, runId: ulid() }));
  await store.scheduleTicks.take(schedule, ticks);
  return times;
}
