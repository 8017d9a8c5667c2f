import pLimit from 'p-limit';
import { ulid } from 'ulid';
import type { DueFire, OverFire } from '../../store/schedules/schedule-fires.ts';
import type { FireKind, FireResult, Overlap, Schedule, ScheduleReference } from '../../store/schedules/schedule.ts';
import { unavailableNow } from '../http/errors.ts';
import type { ApiError } from '../http/errors.ts';
import { OVERLAPPED, cancelRun, decideFire } from './decide-fire.ts';
import type { FireDeps } from './decide-fire.ts';

const BATCH = 100;
const AT_ONCE = 8;
/** A fire for which something has failed is tried again after this time. */
const AGAIN_AFTER_FAILURE_MS = 5_000;

/**
 * Does what is due for fires: asks Temporal for those that a person has requested, decides about those whose workflow is open,
 * and cancels runs whose workflow Temporal has canceled. A failed fire is tried again later.
 * @param schedule the only schedule whose fires are tended
 */
export async function tendFires(deps: FireDeps, schedule?: ScheduleReference): Promise<void> {
  const { scheduleFires } = deps.store;
  await pLimit(AT_ONCE).map(await scheduleFires.claim(BATCH, schedule), async (fire) => {
    await tendFire(deps, fire).catch(async (error: unknown) => {
      deps.logger.warn({ error, schedule: fire.id, at: fire.at }, 'a fire of a schedule waits; it will be tried again');
      await scheduleFires.postpone(fire, AGAIN_AFTER_FAILURE_MS);
    });
  });
}

/** The result of a fire, or the milliseconds after which it is looked at again. */
type Next = FireResult | number;

async function tendFire(deps: FireDeps, fire: DueFire): Promise<void> {
  const { schedules, scheduleFires } = deps.store;
  const schedule = await schedules.find(fire);
  const next = schedule ? await doNext(deps, schedule, fire) : MAX_WAIT_MS;
  if (typeof next === 'number') await scheduleFires.postpone(fire, next);
  else await scheduleFires.settle(fire, next);
}

async function doNext(deps: FireDeps, schedule: Schedule, fire: DueFire): Promise<Next> {
  const { openedAt } = fire;
  return await (openedAt === null
    ? askTemporal(deps, schedule, fire)
    : tendOpen(deps, schedule, { ...fire, openedAt }));
}

const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 3_600_000;

/** A fire that has waited long is looked at seldom. What the workflow records makes it due at once. */
function waitAfter(waitedMs: number): number {
  return Math.min(Math.max(waitedMs / 2, MIN_WAIT_MS), MAX_WAIT_MS);
}

/** Asks Temporal for fires of one kind. @throws ApiError 503 */
export async function sendFires(
  { engine, store }: Pick<FireDeps, 'engine' | 'store'>,
  schedule: Schedule,
  kind: FireKind,
  times: readonly string[],
): Promise<void> {
  const [first = ''] = times;
  const isSent = await (kind === 'backfill'
    ? engine.schedules.backfill(schedule, times, schedule.overlap)
    : engine.schedules.trigger(schedule, first));
  if (!isSent) throw await missingInTemporal(store, schedule);
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
 * Asks Temporal for a fire that a person has requested, unless a request that has got no answer has reached it. A trigger that
 * Temporal has received, and neither runs nor buffers, was skipped by the overlap policy if the schedule is busy.
 */
async function askTemporal(deps: FireDeps, schedule: Schedule, fire: DueFire): Promise<Next> {
  const { scheduleFires } = deps.store;
  if (await deps.engine.schedules.mayFire(fire, fire.at)) await scheduleFires.markSent(fire, [fire.at]);
  else {
    if (fire.isSent && fire.kind === 'trigger') {
      if (schedule.overlap !== 'allow' && (await scheduleFires.activeBeside(fire)).length > 0) return OVERLAPPED;
      if (fire.waitedMs > SENT_AGAIN_WITHIN_MS)
        return { outcome: 'failed', code: 'UNAVAILABLE', message: 'Temporal has not started the fire' };
    }
    await sendFires(deps, schedule, fire.kind, [fire.at]);
  }
  return waitAfter(fire.waitedMs);
}

/** A fire that waits for a quota or another run is looked at again after this time. */
const LOOK_AGAIN_MS = 2_000;
/** The signal that cancels a run is sent again after this time. */
const CANCEL_AGAIN_MS = 5_000;

async function tendOpen(deps: FireDeps, schedule: Schedule, fire: DueFire & OverFire): Promise<Next> {
  if (fire.outcome === 'pending') return (await decideFire(deps, schedule, fire)) ?? LOOK_AGAIN_MS;
  if (fire.isCanceled) {
    await cancelRun(deps, schedule, fire.runId);
    return CANCEL_AGAIN_MS;
  }
  await recordSkipped(deps, fire);
  return waitAfter(fire.waitedMs);
}

/** The times that Temporal skips of those that come while the workflow of a fire is open. */
const SKIPPED: Readonly<Record<Overlap, (times: readonly string[]) => readonly string[]>> = {
  skip: (times) => times,
  buffer: (times) => times.slice(1),
  allow: () => [],
  cancelOther: (times) => times.slice(0, -1),
};

/** Temporal does not report the times that it skips, so they are recorded while the workflow of a fire is open. */
async function recordSkipped({ engine, store }: FireDeps, fire: OverFire, until = new Date()): Promise<void> {
  const schedule = await store.schedules.find(fire);
  if (!schedule || schedule.paused || schedule.overlap === 'allow') return;
  const since = fire.openedAt > schedule.updatedAt ? fire.openedAt : schedule.updatedAt;
  const recorded = await lastSkipped(store, schedule);
  // Temporal answers 1,000 times at most, so a look continues where the one before has ended.
  const isContinued = recorded !== null && recorded > since;
  const times =
    (await engine.schedules.timesBetween(schedule, isContinued ? recorded : since, until.toISOString())) ?? [];
  const skipped = isContinued && schedule.overlap === 'buffer' ? times : SKIPPED[schedule.overlap](times);
  const fires = skipped.map((at) => ({ at, kind: 'time' as const, runId: ulid() }));
  await store.scheduleFires.skip(schedule, fires, OVERLAPPED);
}

/** The number of the last fires among which the last skipped time is searched. */
const LAST_FIRES = 50;

async function lastSkipped({ scheduleFires }: FireDeps['store'], schedule: Schedule): Promise<string | null> {
  const last = (await scheduleFires.latest([schedule], LAST_FIRES)).get(schedule.id) ?? [];
  return last.find(({ kind, code }) => kind === 'time' && code === OVERLAPPED.code)?.at ?? null;
}

/** Ends the workflows of fires whose run has ended or will never start, so that Temporal may start the next one. */
export async function closeFires(deps: FireDeps): Promise<void> {
  await pLimit(AT_ONCE).map(await deps.store.scheduleFires.over(BATCH), async (fire) => {
    await closeFire(deps, fire).catch((error: unknown) =>
      deps.logger.warn(
        { error, schedule: fire.id, at: fire.at },
        'a fire of a schedule could not be closed, or the times that it has skipped could not be recorded',
      ),
    );
  });
}

async function closeFire(deps: FireDeps, fire: OverFire): Promise<void> {
  const until = new Date();
  await deps.engine.schedules.endFire(fire, fire.at);
  await deps.store.scheduleFires.close(fire);
  await recordSkipped(deps, fire, until);
}
