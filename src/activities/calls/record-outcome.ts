import { Context } from '@temporalio/activity';
import { isDatabaseAway } from '../../store/database/database-away.ts';

/** The server gives the activity up a little later (`workflows/activities.ts`). */
const GIVE_UP_AFTER_MS = 4 * 60_000;
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 2_000;

/**
 * Writes to the ledger what became of a call, again and again while the database is away: what was done must not be
 * forgotten. A run learns the outcome also when that was in vain; only a crash before it does would make a secret of it.
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
        return context.log.warn('what became of a call could not be recorded; its run is told all the same', { error });
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(tries * 200, MAX_PAUSE_MS)));
  }
}
