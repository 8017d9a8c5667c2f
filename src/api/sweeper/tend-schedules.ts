import type { ApiDeps } from '../deps.ts';
import { takeTurn } from '../schedules/take-turn.ts';
import { healSchedule } from '../schedules/tell-temporal.ts';
import { TICKS_KEPT } from '../schedules/ticks-kept.ts';
import { eachOf } from './each-of.ts';

type TendDeps = Pick<ApiDeps, 'store' | 'engine' | 'graphJobs' | 'catalog' | 'settings' | 'logger'>;

const BATCH = 100;
const AT_ONCE = 4;
/** The schedules of a tenant whose ticks one round decides about: the next round of all tenants begins soon. */
const MAX_OF_TENANT = 20;
/** A request that has changed a schedule tells Temporal itself within this time, and one that was overtaken by its deletion, too. */
const HEAL_AFTER_MS = 20_000;

/** Decides about the ticks that wait. */
export async function takeTicks(deps: TendDeps): Promise<void> {
  const due = await deps.store.scheduleTicks.due({ all: BATCH, ofTenant: MAX_OF_TENANT });
  await eachOf(due, AT_ONCE, async (schedule) => {
    await takeTurn(deps, schedule).catch((error: unknown) =>
      deps.logger.warn({ error, schedule: schedule.id }, 'a time of a schedule waits; it will be tried again'),
    );
  });
}

/** Makes and deletes Temporal's schedules where a request could not. */
export async function healSchedules(deps: TendDeps): Promise<void> {
  const before = new Date(Date.now() - HEAL_AFTER_MS).toISOString();
  await eachOf(await deps.store.schedules.untold(before, BATCH), AT_ONCE, async (schedule) => {
    await healSchedule(deps, schedule).catch((error: unknown) =>
      deps.logger.warn(
        { error, schedule: schedule.id },
        'Temporal has not heard of a schedule yet; it will be told again',
      ),
    );
  });
}

export async function forgetTicks({ store }: Pick<ApiDeps, 'store'>): Promise<void> {
  await store.scheduleTicks.forgetOld(TICKS_KEPT);
}
