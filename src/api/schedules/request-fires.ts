import { ulid } from 'ulid';
import type { DueFire } from '../../store/schedules/fire.ts';
import type { FireResult, Schedule, ScheduleReference } from '../../store/schedules/schedule.ts';
import { unavailableNow } from '../http/errors.ts';
import type { ApiError } from '../http/errors.ts';
import type { FireDeps } from './act-as-owner.ts';
import { OVERLAPPED } from './decide-fire.ts';

type RequestDeps = Pick<FireDeps, 'engine' | 'store'>;

/** Asks Temporal for times of a backfill. @throws ApiError 503 */
export async function sendBackfill(deps: RequestDeps, schedule: Schedule, times: readonly string[]): Promise<void> {
  await send(deps, schedule, times, () => deps.engine.schedules.backfill(schedule, times, schedule.overlap));
}

async function send(
  { store }: RequestDeps,
  schedule: Schedule,
  times: readonly string[],
  request: () => Promise<true | null>,
): Promise<void> {
  await store.scheduleFires.markAsked(schedule, times);
  if (!(await request())) throw await missingInTemporal(store, schedule);
  await store.scheduleFires.markSent(schedule, times);
}

/** @returns the error for a schedule that Temporal does not have; the sweeper creates it again */
export async function missingInTemporal(
  { schedules }: FireDeps['store'],
  schedule: ScheduleReference,
): Promise<ApiError> {
  await schedules.markUnsynced(schedule);
  return unavailableNow('Temporal does not have the schedule yet; the request may be sent again');
}

/** Temporal may see the end of the last run late, so a trigger that it has skipped is sent again within this time. */
const SENT_AGAIN_WITHIN_MS = 60_000;

/**
 * Asks Temporal for a fire that a person has requested, until Temporal has received the request, and again if it has dropped
 * the fire without a reason.
 * @returns the result of a trigger that Temporal has skipped; `null` while the fire may still be opened
 * @throws ApiError 503
 */
export async function requestFire(deps: RequestDeps, schedule: Schedule, fire: DueFire): Promise<FireResult | null> {
  const state = fire.isAsked ? await deps.engine.schedules.fireState(fire, fire.at) : 'absent';
  if (state === 'open') {
    await deps.store.scheduleFires.markSent(fire, [fire.at]);
    return null;
  }
  if (fire.kind !== 'trigger') {
    if (!fire.isSent || state === 'absent') await sendBackfill(deps, schedule, [fire.at]);
    return null;
  }
  if (fire.isSent) return await followTrigger(deps, schedule, fire, state === 'buffering');
  // Temporal takes this request once, also if its first answer was lost.
  const request = { id: fire.runId, overlap: 'as-scheduled' } as const;
  await send(deps, schedule, [fire.at], () => deps.engine.schedules.trigger(schedule, fire.at, request));
  return null;
}

/**
 * Temporal reports no skipped trigger. Of a schedule whose runs may overlap, it skips none.
 * @param isBuffering true if Temporal buffers some fires, which may be others
 */
async function followTrigger(
  deps: RequestDeps,
  schedule: Schedule,
  fire: DueFire,
  isBuffering: boolean,
): Promise<FireResult | null> {
  const { scheduleFires } = deps.store;
  const mayOverlap = schedule.overlap === 'allow';
  if (!mayOverlap && (await scheduleFires.isPassedOver(fire))) return OVERLAPPED;
  if (isBuffering) return null;
  if (!mayOverlap && (await scheduleFires.activeBeside(fire)).length > 0) return OVERLAPPED;
  if (fire.waitedMs > SENT_AGAIN_WITHIN_MS)
    return { outcome: 'failed', code: 'UNAVAILABLE', message: 'Temporal has not started the fire' };
  // The fire may have been opened since, and must not cancel its own run.
  const request = { id: ulid(), overlap: schedule.overlap === 'cancelOther' ? 'skip' : 'as-scheduled' } as const;
  await send(deps, schedule, [fire.at], () => deps.engine.schedules.trigger(schedule, fire.at, request));
  return null;
}
