import { Context } from '@temporalio/activity';
import { isDatabaseAway } from '../../../store/database/database-away.ts';

/** Below the activity's time-out, which `workflows/activities.ts` sets. */
const GIVE_UP_AFTER_MS = 4 * 60_000;
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 2_000;

/**
 * Writes the outcome of a call to the ledger, with retries while the database is away. If they fail, that is logged: the
 * run still learns the outcome from the activity.
 */
export async function recordOutcome(write: () => Promise<unknown>): Promise<void> {
  const context = Context.current();
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  for (let tries = 1; ; tries++) {
    try {
      return void (await write());
    } catch (error) {
      const mayComeBack = isDatabaseAway(error) ? Date.now() < giveUpAt : tries < MAX_TRIES;
      if (!mayComeBack || context.cancellationDetails?.workerShutdown === true)
        return context.log.warn('the outcome of a call could not be recorded', {
          error,
        });
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(tries * 200, MAX_PAUSE_MS)));
  }
}
