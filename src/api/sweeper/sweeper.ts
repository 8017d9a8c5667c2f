import pLimit from 'p-limit';
import { COUNT_EVERY_MS, createLiveMeasure } from '../../telemetry/metrics/live-measure.ts';
import { sendsMetrics } from '../../telemetry/metrics/meter.ts';
import type { ApiDeps, SweepTimes } from '../deps.ts';
import { dispatchOrLeave } from '../runs/dispatch-run.ts';
import { LOST_FOR_MS, createLostRunsChore } from './end-lost-runs.ts';
import { closeFires } from '../schedules/close-fires.ts';
import { cancelFires, tendFires } from '../schedules/tend-fires.ts';
import { pruneRuns, timeBefore } from './prune-runs.ts';
import { createQueueStarter } from './start-queued-runs.ts';
import { forgetFires, syncSchedules } from './tend-schedules.ts';
import { createDispatcher } from '../webhooks/dispatcher.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';
import {
  FAILING_FOR_MS,
  activeRunsByPage,
  createQuarantineBrake,
  createPoisonedRunsChore,
  runsWithNotedFailure,
} from './quarantine-runs.ts';
import type { QuarantineBrake } from './quarantine-runs.ts';
import { SETTLED_AFTER_MS, createTerminatedRunsReconciler } from './reconcile-terminated-runs.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../graph/values/index.ts';

type SweeperDeps = Pick<
  ApiDeps,
  'store' | 'engine' | 'graphJobs' | 'catalog' | 'logger' | 'fingerprints' | 'settings' | 'sweeping'
>;

/** A periodic task of the sweeper. */
interface Chore {
  readonly everyMs: number;
  /** @param stopping aborted when the chore must not begin anything more */
  readonly run: (deps: SweeperDeps, stopping: AbortSignal) => Promise<void>;
}

const BATCH = 100;
/** Limits the database connections for dispatching, so that some are left for requests. */
const DISPATCHES_AT_ONCE = 8;
/** Answers are kept for slightly more than the 24 hours that the API promises. */
const KEEP_ANSWERS_MS = 25 * HOUR_MS;

/** An upload ends with its request, long before this time. */
const KEEP_UPLOADS_MS = DAY_MS;

/** The interval of checks that ask Temporal about some active runs. */
const LOOK_AT_ACTIVE_RUNS_MS = 5_000;

const TIMES: SweepTimes = {
  queuesMs: 250,
  dispatchMs: 2_000,
  terminatedRunsMs: 5_000,
  settledAfterMs: SETTLED_AFTER_MS,
  lostRunsMs: 15_000,
  lostForMs: LOST_FOR_MS,
  poisonedRunsMs: 2_000,
  firesMs: 500,
  syncSchedulesMs: 10_000,
  failingForMs: FAILING_FOR_MS,
  deliveriesMs: 500,
  noticesMs: 5_000,
  embedMs: 5_000,
  dispatcher: {},
};

const toChores = (times: SweepTimes, dispatcher: Dispatcher, brake: QuarantineBrake): readonly Chore[] => [
  { everyMs: times.queuesMs, run: createQueueStarter() },
  { everyMs: times.dispatchMs, run: dispatchRuns },
  { everyMs: times.terminatedRunsMs, run: createTerminatedRunsReconciler(times.settledAfterMs) },
  { everyMs: times.lostRunsMs, run: createLostRunsChore(times.lostForMs) },
  { everyMs: times.poisonedRunsMs, run: createPoisonedRunsChore(runsWithNotedFailure, brake, times.failingForMs) },
  { everyMs: LOOK_AT_ACTIVE_RUNS_MS, run: createPoisonedRunsChore(activeRunsByPage(), brake, times.failingForMs) },
  {
    everyMs: times.firesMs,
    run: async function tendSchedules(deps) {
      await tendFires(deps);
    },
  },
  {
    everyMs: times.firesMs,
    run: async function cancelOverlapped(deps) {
      await cancelFires(deps);
    },
  },
  { everyMs: times.firesMs, run: closeFires },
  { everyMs: times.syncSchedulesMs, run: syncSchedules },
  {
    everyMs: times.deliveriesMs,
    run: async function deliver(_deps, stopping) {
      await dispatcher.round(stopping);
    },
  },
  { everyMs: times.noticesMs, run: sendNotices },
  { everyMs: times.embedMs, run: embedMemory },
  { everyMs: MINUTE_MS, run: forgetExpired },
  { everyMs: 600_000, run: forgetFires },
  { everyMs: HOUR_MS, run: pruneOldRuns },
  { everyMs: HOUR_MS, run: forgetOldRecords },
];

/**
 * Does periodic work: dispatches accepted runs, starts queued runs, ends terminated and poisoned runs, sends the events of
 * webhooks, deletes old data.
 */
export interface Sweeper {
  stop(): Promise<void>;
}

export function startSweeper(deps: SweeperDeps): Sweeper {
  const times = { ...TIMES, ...deps.sweeping };
  const dispatcher = createDispatcher(deps, times.dispatcher);
  // With a push-based metrics exporter, nothing requests the counts, so they are measured at intervals.
  const measuring = sendsMetrics() ? [{ everyMs: COUNT_EVERY_MS, run: createLiveMeasure(deps) }] : [];
  const chores: readonly Chore[] = [...toChores(times, dispatcher, createQuarantineBrake()), ...measuring];
  const started = chores.map(({ everyMs, run }) =>
    repeatPeriodically({ name: run.name, everyMs, run: async (stopping) => await run(deps, stopping) }, deps.logger),
  );
  return {
    async stop() {
      await Promise.all(started.map((stop) => stop()));
      await dispatcher.settled();
    },
  };
}

async function dispatchRuns(deps: SweeperDeps): Promise<void> {
  const due = await deps.store.pendingStarts.due(new Date().toISOString(), BATCH);
  await pLimit(DISPATCHES_AT_ONCE).map(due, async (id) => await dispatchOrLeave(deps, id));
}

async function pruneOldRuns(deps: SweeperDeps, stopping: AbortSignal): Promise<void> {
  const pruned = await pruneRuns(deps, stopping);
  if (pruned.runs + pruned.checkpoints > 0) deps.logger.info(pruned, 'old runs were pruned');
}

async function sendNotices({ store }: SweeperDeps): Promise<void> {
  await store.approvalNotices.sendDue();
}

async function embedMemory({ store }: SweeperDeps, stopping: AbortSignal): Promise<void> {
  await store.meaning?.embedDue(stopping);
}

/** Deletes kept answers of repeated requests, tickets, notes of streams, entries of memory and deliveries whose time is over. */
export async function forgetExpired({ store }: Pick<ApiDeps, 'store'>): Promise<void> {
  await Promise.all([
    store.idempotency.forgetBefore(timeBefore(KEEP_ANSWERS_MS)),
    store.streamTickets.forgetExpired(),
    store.tenantEvents.forgetOld(),
    store.memory.forgetExpired(),
    store.dueDeliveries.forgetOld(),
  ]);
}

async function forgetOldRecords({ store, settings }: SweeperDeps): Promise<void> {
  const { runsMs, auditMs } = settings.retention;
  await store.hookMessages.forgetOld();
  await store.files.forgetUploads(timeBefore(KEEP_UPLOADS_MS));
  if (runsMs !== null) await store.files.forgetUnused(timeBefore(runsMs));
  if (auditMs !== null) await store.audit.forgetBefore(timeBefore(auditMs));
}

/** A task that is executed periodically. */
export interface PeriodicWork {
  /** The name in log entries. */
  readonly name: string;
  readonly everyMs: number;
  /** @param stopping aborted when the task must not begin anything more */
  readonly run: (stopping: AbortSignal) => Promise<void>;
}

/** A failed task pauses, because the cause usually persists and repeated failures would flood the log. */
const PAUSE_AFTER_FAILURE_MS = 3_000;

/** Tasks with long intervals first run within minutes after the start, because some processes do not live longer. */
const FIRST_AFTER_MS = MINUTE_MS;
/** Processes that start together do not start long-interval tasks at the same time. */
const FIRST_SPREAD_MS = 240_000;

/** Repeats a task, one execution at a time. @returns a function that stops it */
export function repeatPeriodically(
  { name, everyMs, run }: PeriodicWork,
  logger: ApiDeps['logger'],
): () => Promise<void> {
  const stopping = new AbortController();
  let working: Promise<void> | null = null;
  let notBefore = 0;
  const look = (): void => {
    if (Date.now() < notBefore) return;
    working ??= run(stopping.signal)
      .catch((error: unknown) => {
        notBefore = Date.now() + PAUSE_AFTER_FAILURE_MS;
        logger.warn({ error, chore: name }, 'sweeping failed; it will be tried again');
      })
      .finally(() => (working = null));
  };
  let timer = setTimeout(
    () => {
      timer = setInterval(look, everyMs);
      look();
    },
    Math.min(everyMs, FIRST_AFTER_MS + Math.random() * FIRST_SPREAD_MS),
  );
  return async () => {
    clearTimeout(timer);
    stopping.abort();
    await working;
  };
}
