import pLimit from 'p-limit';
import type { ApiDeps } from '../deps.ts';
import { repairSchedule } from '../schedules/sync-schedule.ts';
import { FIRES_KEPT } from '../schedules/trigger.ts';
import { timeBefore } from './prune-runs.ts';

const BATCH = 100;
const AT_ONCE = 4;
/** A request that has changed or deleted a schedule changes Temporal's schedule itself within this time. */
const SYNC_AFTER_MS = 20_000;

/** Creates, changes and deletes Temporal's schedules where a request could not. */
export async function syncSchedules(deps: Pick<ApiDeps, 'store' | 'engine' | 'logger'>): Promise<void> {
  await pLimit(AT_ONCE).map(await deps.store.schedules.unsynced(timeBefore(SYNC_AFTER_MS), BATCH), async (schedule) => {
    await repairSchedule(deps, schedule).catch((error: unknown) =>
      deps.logger.warn(
        { error, schedule: schedule.id },
        'Temporal does not have a schedule as it is; it will be tried again',
      ),
    );
  });
}

/** Deletes the fires that schedules need not remember, of some schedules at a time. */
export async function forgetFires({ store }: Pick<ApiDeps, 'store'>, stopping: AbortSignal): Promise<void> {
  for (let after: string | null = ''; after !== null && !stopping.aborted;)
    after = await store.scheduleFires.forgetOld(FIRES_KEPT, after);
}
