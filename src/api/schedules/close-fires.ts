import pLimit from 'p-limit';
import type { OverFire } from '../../store/schedules/fire.ts';
import type { FireDeps } from './act-as-owner.ts';
import { recordSkipped } from './skipped-times.ts';

const BATCH = 100;
const AT_ONCE = 8;

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

/** The fire is closed last, so that whatever fails is repeated. */
async function closeFire(deps: FireDeps, fire: OverFire): Promise<void> {
  await deps.engine.schedules.endFire(fire, fire.at);
  await recordSkipped(deps, fire);
  await deps.store.scheduleFires.close(fire);
}
