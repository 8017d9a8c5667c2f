import pLimit from 'p-limit';
import type { DueFire, FireWork, OverFire } from '../../store/schedules/fire.ts';
import type { FireResult, Schedule, ScheduleReference } from '../../store/schedules/schedule.ts';
import { cancelRun } from './act-as-owner.ts';
import type { FireDeps } from './act-as-owner.ts';
import { decideFire } from './decide-fire.ts';
import { requestFire } from './request-fires.ts';
import { recordSkipped } from './skipped-times.ts';

const BATCH = 100;
const AT_ONCE = 8;
/** A fire for which something has failed is tried again after this time. */
const AGAIN_AFTER_FAILURE_MS = 5_000;

/**
 * Does what is due for fires: asks Temporal for those that a person has requested, and decides about those whose workflow is
 * open. A failed fire is tried again later.
 * @param schedule the only schedule whose fires are tended
 */
export async function tendFires(deps: FireDeps, schedule?: ScheduleReference): Promise<void> {
  await doDue(deps, 'other', schedule);
}

/** Cancels the runs of fires whose workflow Temporal has canceled. */
export async function cancelFires(deps: FireDeps, schedule?: ScheduleReference): Promise<void> {
  await doDue(deps, 'cancel', schedule);
}

async function doDue(deps: FireDeps, work: FireWork, schedule: ScheduleReference | undefined): Promise<void> {
  const { scheduleFires } = deps.store;
  await pLimit(AT_ONCE).map(await scheduleFires.claim(work, BATCH, schedule), async (fire) => {
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
  const { openedAt, waitedMs } = fire;
  return openedAt === null
    ? ((await requestFire(deps, schedule, fire)) ?? waitAfter(waitedMs))
    : await tendOpen(deps, schedule, { ...fire, openedAt });
}

const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 3_600_000;

/** A fire that has waited long is looked at seldom. What the workflow records makes it due at once. */
function waitAfter(waitedMs: number, minMs = MIN_WAIT_MS, maxMs = MAX_WAIT_MS): number {
  return Math.min(Math.max(waitedMs / 2, minMs), maxMs);
}

/** A fire that waits for a quota or another run is first looked at again after this time. The end of a fire makes it due. */
const LOOK_AGAIN_MS = 2_000;
const MAX_LOOK_AGAIN_MS = 60_000;
/** The signal that cancels a run is first sent again after this time. */
const CANCEL_AGAIN_MS = 5_000;

async function tendOpen(deps: FireDeps, schedule: Schedule, fire: DueFire & OverFire): Promise<Next> {
  const { outcome, isCanceled, runId, waitedMs } = fire;
  if (outcome === 'pending')
    return (await decideFire(deps, schedule, fire)) ?? waitAfter(waitedMs, LOOK_AGAIN_MS, MAX_LOOK_AGAIN_MS);
  if (isCanceled)
    return (await cancelRun(deps, schedule, runId)) ? waitAfter(waitedMs, CANCEL_AGAIN_MS) : CANCEL_AGAIN_MS;
  await recordSkipped(deps, fire);
  return waitAfter(waitedMs);
}
