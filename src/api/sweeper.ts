import type { ApiDeps } from './environment.ts';
import { isStart } from './send-signal.ts';
import { handOver } from './start-run.ts';

const INTERVAL_MS = 2_000;
/** The request that accepted a run hands it over itself; the sweeper comes after it. */
const GRACE_MS = 3_000;
const BATCH = 100;
/** Answers are kept for repetition a day and a bit. */
const KEEP_ANSWERS_MS = 25 * 3_600_000;

/** Sees to what requests have left undone: runs that were accepted and not started, answers that are old. */
export interface Sweeper {
  stop(): Promise<void>;
}

export function startSweeper(deps: Pick<ApiDeps, 'store' | 'engine' | 'logger'>): Sweeper {
  let working: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    working = working
      .then(() => sweep(deps))
      .catch((error: unknown) => deps.logger.warn({ error }, 'sweeping failed; it will be tried again'));
  }, INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await working;
    },
  };
}

async function sweep({ store, engine, logger }: Pick<ApiDeps, 'store' | 'engine' | 'logger'>): Promise<void> {
  const now = Date.now();
  for (const { id, start } of await store.runs.toHandOver(new Date(now - GRACE_MS).toISOString(), BATCH)) {
    if (!isStart(start)) continue;
    await handOver({ store, engine }, start).catch((error: unknown) =>
      logger.warn({ error, run: id }, 'a run could not be handed over to Temporal yet'),
    );
  }
  await store.idempotency.forgetBefore(new Date(now - KEEP_ANSWERS_MS).toISOString());
}
