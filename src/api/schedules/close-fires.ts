import pLimit from 'p-limit';
import type { UnclosedFire } from '../../store/schedules/fire.ts';
import type { FireDeps } from './act-as-owner.ts';
import { recordSkipped } from './skipped-times.ts';

const BATCH = 100;
const AT_ONCE = 8;

/** A fire that could not be closed is tried again after this time, then after twice as long each time. */
const FIRST_AGAIN_MS = 1_000;
const MAX_AGAIN_MS = 60_000;
/** A fire that has failed so often is also closed when the times that it has skipped cannot be recorded. */
const MAX_FAILURES = 10;

/** Ends the workflows of fires whose run has ended or will never start, so that Temporal may start the next one. */
export async function closeFires(deps: FireDeps): Promise<void> {
  const { scheduleFires } = deps.store;
  await pLimit(AT_ONCE).map(await scheduleFires.over(BATCH), async (fire) => {
    await closeFire(deps, fire).catch(async (error: unknown) => {
      warn(deps, fire, error, 'a fire of a schedule could not be closed; it will be tried again');
      await scheduleFires.postponeClose(fire, Math.min(FIRST_AGAIN_MS * 2 ** fire.failures, MAX_AGAIN_MS));
    });
  });
}

/** The fire is closed last, so that whatever fails is repeated. */
async function closeFire(deps: FireDeps, fire: UnclosedFire): Promise<void> {
  await deps.engine.schedules.endFire(fire, fire.at);
  await recordSkipped(deps, fire).catch((error: unknown) => {
    if (fire.failures < MAX_FAILURES) throw error;
    warn(deps, fire, error, 'the times that a fire of a schedule has skipped could not be recorded');
  });
  await deps.store.scheduleFires.close(fire);
}

function warn({ logger }: FireDeps, { id, at }: UnclosedFire, error: unknown, message: string): void {
  logger.warn({ error, schedule: id, at }, message);
}
