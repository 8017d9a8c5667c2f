import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTime, ulid } from 'ulid';
import type { RecordedFire, Schedule } from '../../store/schedules/schedule.ts';
import { triggerTime } from '../../workflows/schedule-contract.ts';
import { ApiError, unavailableNow } from '../http/errors.ts';
import type { FireDeps } from './decide-fire.ts';
import { missingInTemporal, sendFires, tendFires } from './tend-fires.ts';

/** A request waits this long for the result of its fire. */
const DECIDED_WITHIN_MS = 2_000;
const LOOK_AGAIN_MS = 50;

/**
 * Fires a schedule now, by its overlap policy. It tends the fires of the schedule itself, so the result does not wait for the sweeper.
 * @param runId the id of the run, chosen before; the same id again starts no second one
 * @returns the fire, which is still pending if it waits for another run or for a quota, or if Temporal, the workers or the
 *   database do not answer soon
 * @throws ApiError 404 when the schedule is deleted, 503 when it is triggered too often
 */
export async function trigger(deps: FireDeps, schedule: Schedule, runId: string): Promise<RecordedFire> {
  const until = Date.now() + DECIDED_WITHIN_MS;
  let fire = await requestMoment(deps, schedule, runId);
  try {
    while (fire.outcome === 'pending' && Date.now() < until) {
      await tendFires(deps, schedule);
      fire = await findFire(deps, schedule, fire.at);
      if (fire.outcome === 'pending') await sleep(LOOK_AGAIN_MS);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    deps.logger.warn({ error, schedule: schedule.id, run: runId }, 'a trigger of a schedule will be tended later');
  }
  return fire;
}

/** The most seconds that are tried for a trigger. */
const MAX_MOMENTS = 100;

/** Takes the second of a run's id, or the first one after it without a trigger; it is the same one each time. */
async function requestMoment(deps: FireDeps, schedule: Schedule, runId: string): Promise<RecordedFire> {
  for (let tried = 0; tried < MAX_MOMENTS; tried += 1) {
    const at = triggerTime(decodeTime(runId) + tried * 1_000);
    await deps.store.scheduleFires.request(schedule, [{ at, kind: 'trigger', runId }], 0);
    const fire = await findFire(deps, schedule, at);
    if (fire.runId === runId) return fire;
  }
  throw unavailableNow(`The schedule ${schedule.id} is triggered too often; the request may be sent again`);
}

/** @throws ApiError 404 */
async function findFire({ store }: FireDeps, { tenantId, id }: Schedule, at: string): Promise<RecordedFire> {
  const fire = await store.scheduleFires.find({ tenantId, id, at });
  if (!fire) throw new ApiError('NOT_FOUND', `There is no schedule ${id}`);
  return fire;
}

/** The most times of one request. */
const MAX_TIMES = 100;
/** If the request ends before it has asked Temporal for its fires, the sweeper does so after this time. */
const SENT_WITHIN_MS = 30_000;

/**
 * Fires a schedule at the times between two that are over, one after the other. A time that is recorded is not taken again.
 * @returns all times between the two
 * @throws ApiError 422 for too many times, or for times so old that it is unknown whether they have fired; 503
 */
export async function backfill(
  deps: Pick<FireDeps, 'store' | 'engine' | 'logger'>,
  schedule: Schedule,
  { from, to }: TimeSpan,
): Promise<readonly string[]> {
  const { store, engine, logger } = deps;
  const before = new Date(Date.parse(from) - 1).toISOString();
  const times = await engine.schedules.timesBetween(schedule, before, to);
  if (!times) throw await missingInTemporal(store, schedule);
  if (times.length > MAX_TIMES) {
    const issues = [{ path: '/to', message: `The schedule has more than ${MAX_TIMES} times until then` }];
    throw new ApiError('INVALID_REQUEST', 'These are too many times for one request', { issues });
  }
  await requireRemembered(store, schedule, times);
  const fires = times.map((at) => ({ at, kind: 'backfill' as const, runId: ulid() }));
  const added = await store.scheduleFires.request(schedule, fires, SENT_WITHIN_MS);
  if (added.length > 0)
    await sendFires(deps, schedule, 'backfill', added).catch((error: unknown) =>
      logger.warn({ error, schedule: schedule.id }, 'a backfill of a schedule will be sent later'),
    );
  return times;
}

/** Two times, RFC 3339. */
interface TimeSpan {
  readonly from: string;
  readonly to: string;
}

/** A fire that was forgotten was older than all that are kept, so no time from the oldest of these on was. */
async function requireRemembered(
  { scheduleFires }: FireDeps['store'],
  schedule: Schedule,
  times: readonly string[],
): Promise<void> {
  const since = await scheduleFires.oldestOf(schedule, FIRES_KEPT);
  if (since === null || times.every((at) => at >= since)) return;
  const message = `The schedule remembers its last ${FIRES_KEPT} times, from ${since} on; earlier ones may have been taken`;
  throw new ApiError('INVALID_REQUEST', 'The schedule has forgotten some of these times', {
    issues: [{ path: '/from', message }],
  });
}

/** The closed fires that each schedule keeps. */
export const FIRES_KEPT = 1_000;
