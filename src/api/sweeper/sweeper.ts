import type { ApiDeps, SweepTimes } from '../deps.ts';
import { tryDispatch } from '../runs/dispatch-run.ts';
import { pruneRuns } from './prune-runs.ts';
import { SETTLED_AFTER_MS, createTerminatedRunsReconciler } from './reconcile-terminated-runs.ts';
import { startQueuedRuns } from './start-queued-runs.ts';

type SweeperDeps = Pick<ApiDeps, 'store' | 'engine' | 'logger' | 'settings' | 'sweeping'>;

/** Something that is looked after now and then. */
interface Chore {
  readonly everyMs: number;
  /** @param stopping it is to begin nothing more */
  readonly run: (deps: SweeperDeps, stopping: AbortSignal) => Promise<void>;
}

const BATCH = 100;
/** Enough that a slow one keeps few waiting; requests need connections to the database, too. */
const DISPATCHES_AT_ONCE = 8;
/** Answers are kept for repetition a day and a bit. */
const KEEP_ANSWERS_MS = 25 * 3_600_000;

/** What is away is not back a moment later; a log has other things to say, too. */
const PAUSE_AFTER_FAILURE_MS = 3_000;

const TIMES: SweepTimes = {
  queuesMs: 250,
  dispatchMs: 2_000,
  terminatedRunsMs: 5_000,
  settledAfterMs: SETTLED_AFTER_MS,
};

const toChores = ({ queuesMs, dispatchMs, terminatedRunsMs, settledAfterMs }: SweepTimes): readonly Chore[] => [
  { everyMs: queuesMs, run: startQueuedRuns },
  { everyMs: dispatchMs, run: dispatchRuns },
  { everyMs: terminatedRunsMs, run: createTerminatedRunsReconciler(settledAfterMs) },
  { everyMs: 60_000, run: forgetAnswers },
  { everyMs: 3_600_000, run: prune },
];

/** Sees to what nobody asks for: queued runs, runs that were accepted and not started, or ended by force, old answers. */
export interface Sweeper {
  stop(): Promise<void>;
}

export function startSweeper(deps: SweeperDeps): Sweeper {
  const started = toChores({ ...TIMES, ...deps.sweeping }).map((chore) => keepDoing(chore, deps));
  return { stop: async () => void (await Promise.all(started.map((stop) => stop()))) };
}

/** Does a chore again and again, never twice at a time. @returns what ends that */
function keepDoing({ everyMs, run }: Chore, deps: SweeperDeps): () => Promise<void> {
  const stopping = new AbortController();
  let working: Promise<void> | null = null;
  let notBefore = 0;
  const timer = setInterval(() => {
    if (Date.now() < notBefore) return;
    working ??= run(deps, stopping.signal)
      .catch((error: unknown) => {
        notBefore = Date.now() + PAUSE_AFTER_FAILURE_MS;
        deps.logger.warn({ error, chore: run.name }, 'sweeping failed; it will be tried again');
      })
      .finally(() => (working = null));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await working;
  };
}

async function dispatchRuns(deps: SweeperDeps): Promise<void> {
  const due = await deps.store.pendingStarts.due(new Date().toISOString(), BATCH);
  await eachOf(due, DISPATCHES_AT_ONCE, (id) => tryDispatch(deps, id));
}

async function prune(deps: SweeperDeps, stopping: AbortSignal): Promise<void> {
  const pruned = await pruneRuns(deps, stopping);
  if (pruned.runs + pruned.checkpoints > 0) deps.logger.info(pruned, 'old runs were pruned');
}

async function forgetAnswers({ store }: SweeperDeps): Promise<void> {
  await store.idempotency.forgetBefore(new Date(Date.now() - KEEP_ANSWERS_MS).toISOString());
}

/** Does some work for each item, for so many at a time. @throws what the first work that fails throws */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const workThrough = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
}
