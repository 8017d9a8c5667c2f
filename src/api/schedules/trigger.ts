import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTime, ulid } from 'ulid';
import type { Schedule, TakenTick } from '../../store/schedules/schedule.ts';
import type { ScheduleTicks } from '../../store/schedules/schedule-ticks.ts';
import { ApiError, notNow } from '../http/errors.ts';
import { takeTurn } from './take-turn.ts';
import type { TurnDeps } from './take-turn.ts';
import { toTickInput } from './change-schedule.ts';

/**
 * Takes the moment as a time of a schedule.
 * @param runId the id of the run, chosen before; the same id again starts no second one
 * @returns the tick, about which is decided already unless it waits for a run or a quota, many wait before it, another
 *   process has its turn for long, or the turn fails
 * @throws ApiError 404 when the schedule is deleted, 503 when the moments after this one are taken, too
 */
export async function trigger(deps: TurnDeps, schedule: Schedule, runId: string): Promise<TakenTick> {
  const { scheduleTicks } = deps.store;
  const taken = await takeMoment(scheduleTicks, schedule, runId);
  try {
    await awaitTurn(deps, schedule);
    return await findTick(scheduleTicks, schedule, taken.at);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    deps.logger.warn(
      { error, schedule: schedule.id, run: runId },
      'a trigger of a schedule will be decided about later',
    );
    return taken;
  }
}

/** The most seconds that are tried for a trigger. */
const MAX_MOMENTS = 100;

/** Takes the moment of a run's id, or the first one after it that no other run has; it is the same one each time. */
async function takeMoment(scheduleTicks: ScheduleTicks, schedule: Schedule, runId: string): Promise<TakenTick> {
  let ms = decodeTime(runId);
  for (let tried = 0; tried < MAX_MOMENTS; tried += 1) {
    ms = betweenSeconds(ms);
    const at = new Date(ms).toISOString();
    await scheduleTicks.take(schedule, [{ at, kind: 'trigger', runId }]);
    const tick = await findTick(scheduleTicks, schedule, at);
    if (tick.runId === runId) return tick;
    ms += 1;
  }
  throw notNow(`The schedule ${schedule.id} is triggered too often; the request may be sent again`);
}

/** @throws ApiError 404 */
async function findTick(scheduleTicks: ScheduleTicks, schedule: Schedule, at: string): Promise<TakenTick> {
  const tick = await scheduleTicks.find(schedule, at);
  if (!tick) throw new ApiError('NOT_FOUND', `There is no schedule ${schedule.id}`);
  return tick;
}

/** A process that has its turn may have looked before the tick was taken, so this one decides after it. */
async function awaitTurn(deps: TurnDeps, schedule: Schedule): Promise<void> {
  const until = Date.now() + TURN_WITHIN_MS;
  while (!(await takeTurn(deps, schedule)) && Date.now() < until) await sleep(TRY_AGAIN_AFTER_MS);
}

/** Longer than a schedule rests whose tick waits for a run. */
const TURN_WITHIN_MS = 2_000;
const TRY_AGAIN_AFTER_MS = 50;

/** Times that schedules name are whole seconds. */
function betweenSeconds(ms: number): number {
  return ms % 1_000 === 0 ? ms + 1 : ms;
}

/** The most times of one request. */
const MAX_TIMES = 100;

/**
 * Takes the times between two that are over. One that was taken before is not taken again.
 * @returns all times between the two
 * @throws ApiError 422 for too many times, or for times so old that it is unknown whether they have fired; 503
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

/** The settled ticks that each schedule keeps. */
export const TICKS_KEPT = 1_000;
