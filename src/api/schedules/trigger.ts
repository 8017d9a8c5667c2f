import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTime, ulid } from 'ulid';
import type { RecordedFire, Schedule } from '../../store/schedules/schedule.ts';
import { ApiError, notNow } from '../http/errors.ts';
import { toFireInput } from './change-schedule.ts';
import { OVERLAPPED } from './decide-fire.ts';
import type { FireDeps } from './decide-fire.ts';

type TriggerDeps = Pick<FireDeps, 'store' | 'engine' | 'logger'>;

/**
 * Fires a schedule now, under its overlap policy.
 * @param runId the id of the run; a repeated request with the same id starts no second one
 * @returns the fire, which has its result unless it waits for another run or nothing handles it in time
 * @throws ApiError 404 when the schedule is deleted, 503 when it is triggered too often or Temporal is unavailable
 */
export async function trigger(deps: TriggerDeps, schedule: Schedule, runId: string): Promise<RecordedFire> {
  const fire = await requestMoment(deps, schedule, runId);
  if (fire.outcome !== 'pending' || fire.isOpen) return fire;
  if (!(await deps.engine.schedules.trigger(toFireInput(schedule), { ...fire, requestId: runId })))
    throw await missingInTemporal(deps, schedule);
  return await awaitResult(deps, schedule, fire.at);
}

/** The most seconds that are tried for a trigger. */
const MAX_MOMENTS = 100;

/**
 * Chooses the second of the run's id, or the last one before it at which the schedule has not fired. The choice is the
 * same for repeated requests. Temporal identifies fires by whole seconds.
 */
async function requestMoment(deps: TriggerDeps, schedule: Schedule, runId: string): Promise<RecordedFire> {
  const second = Math.floor(decodeTime(runId) / 1_000);
  for (let tried = 0; tried < MAX_MOMENTS; tried += 1) {
    const at = new Date((second - tried) * 1_000).toISOString();
    await deps.store.scheduleFires.request(schedule, [{ at, kind: 'trigger', runId }]);
    const fire = await findFire(deps, schedule, at);
    if (fire.runId === runId) return fire;
  }
  throw notNow(`The schedule ${schedule.id} is triggered too often; the request may be sent again`);
}

/** @throws ApiError 404 */
async function findFire({ store }: TriggerDeps, schedule: Schedule, at: string): Promise<RecordedFire> {
  const fire = await store.scheduleFires.find({ ...toFireInput(schedule), at });
  if (!fire) throw new ApiError('NOT_FOUND', `There is no schedule ${schedule.id}`);
  return fire;
}

/** The most time that a request waits for the result of its fire. */
const DECIDED_WITHIN_MS = 5_000;
/** The time after which Temporal is asked whether it has skipped the fire. */
const STARTED_WITHIN_MS = 500;
const LOOK_AGAIN_MS = 50;

async function awaitResult(deps: TriggerDeps, schedule: Schedule, at: string): Promise<RecordedFire> {
  const until = Date.now() + DECIDED_WITHIN_MS;
  let askAt = Date.now() + STARTED_WITHIN_MS;
  let fire = await findFire(deps, schedule, at);
  while (fire.outcome === 'pending' && Date.now() < until) {
    await sleep(LOOK_AGAIN_MS);
    if (!fire.isOpen && Date.now() >= askAt) {
      askAt = Date.now() + STARTED_WITHIN_MS;
      // After a failure, the sweeper repeats this.
      await skipOrRepeat(deps, schedule, at).catch((error: unknown) =>
        deps.logger.warn({ error, schedule: schedule.id }, 'a trigger of a schedule will be decided about later'),
      );
    }
    fire = await findFire(deps, schedule, at);
  }
  return fire;
}

/**
 * Decides about a trigger that Temporal has skipped. Temporal learns about the end of a run slightly later than the
 * store.
 */
async function skipOrRepeat({ engine, store }: TriggerDeps, schedule: Schedule, at: string): Promise<void> {
  const input = toFireInput(schedule);
  // If runs may overlap, Temporal never skips a fire, so it is only late.
  if (schedule.overlap === 'allow' || (await engine.schedules.mayFire(input, at))) return;
  if (await store.scheduleFires.isBusy(schedule)) await store.scheduleFires.decide({ ...input, at }, OVERLAPPED);
  else await engine.schedules.trigger(input, { at, requestId: ulid() });
}

/** @returns the error for a schedule that is missing in Temporal; the sweeper creates it again */
async function missingInTemporal({ store }: Pick<FireDeps, 'store'>, schedule: Schedule): Promise<ApiError> {
  await store.schedules.markUnsynced(schedule);
  return notNow('Temporal does not have the schedule yet; the request may be sent again');
}

/** The most times of one request. */
const MAX_TIMES = 100;

/**
 * Fires a schedule for its times between two times in the past. Times that have already started a run are left out.
 * @returns all times between the two
 * @throws ApiError 422 for too many times, or for times so old that it is unknown whether they have fired; 503
 */
export async function backfill(
  { store, engine }: Pick<FireDeps, 'store' | 'engine'>,
  schedule: Schedule,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const before = new Date(Date.parse(from) - 1).toISOString();
  const times = await engine.schedules.timesBetween(toFireInput(schedule), before, to);
  if (!times) throw await missingInTemporal({ store }, schedule);
  if (times.length > MAX_TIMES) {
    const issues = [{ path: '/to', message: `The schedule has more than ${MAX_TIMES} times until then` }];
    throw new ApiError('INVALID_REQUEST', 'These are too many times for one request', { issues });
  }
  if (times.length === 0) return times;
  await requireRemembered(store, schedule, times);
  const fires = times.map((at) => ({ at, kind: 'backfill' as const, runId: ulid() }));
  await store.scheduleFires.request(schedule, fires);
  const wanted = await store.scheduleFires.unopened(schedule, times);
  if (wanted.length > 0 && !(await engine.schedules.backfill(toFireInput(schedule), wanted, schedule.overlap)))
    throw await missingInTemporal({ store }, schedule);
  return times;
}

/** Fires are deleted oldest first, so all fires since the oldest one that is kept are known. */
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

/** The number of decided fires that are kept for each schedule. */
export const FIRES_KEPT = 1_000;
