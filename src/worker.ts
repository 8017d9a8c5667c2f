import { NativeConnection, Worker } from '@temporalio/worker';
import type { WorkerDeploymentOptions, WorkerInterceptors, WorkerOptions } from '@temporalio/worker';
import { HEARTBEAT_EVERY_MS } from './activities/calls/time-limit.ts';
import { createCallActivities, createJournalActivities } from './activities/index.ts';
import { createScheduleActivities } from './activities/record-fire.ts';
import { createIsolatedWorker, processLimits, reportFailedTask } from './workers/isolated-worker.ts';
import { cachedRuns, readTaskQueues, taskQueuesOf, readWorkerDeployment } from './workers/worker-options.ts';
import { loadConfig } from './config/load-config.ts';
import type { Config } from './config/load-config.ts';
import { WorkerSettings, readSettings } from './config/settings.ts';
import type { WorkerEnvironment } from './config/settings.ts';
import { openConfiguredStore } from './config/store.ts';
import { connectMcpServers } from './config/connect-mcp-servers.ts';
import { findMissingSecrets } from './config/missing-secrets.ts';
import { createDataConverter } from './process/data-converter.ts';
import { toMs } from './graph/values/index.ts';
import { atPort } from './process/listen.ts';
import { keepParts, connectWithRetry } from './process/connect-with-retry.ts';
import type { Opening } from './process/connect-with-retry.ts';
import { isMain } from './process/own-code.ts';
import { listenForShutdown } from './process/listen-for-shutdown.ts';
import { openProcessLogger } from './process/logger.ts';
import { setVariables } from './process/process-options.ts';
import type { ProcessOptions } from './process/process-options.ts';
import { postgresStore } from './store/store.ts';
import { readTemporalTarget, temporalDependency } from './process/temporal.ts';
import type { TemporalTarget } from './process/temporal.ts';
import { createTemporalCheck, reportIfNotReady } from './process/search-attributes.ts';
import { startFields } from './process/start-fields.ts';
import { runProcess, awaitParts } from './process/setup-error.ts';
import { installRuntime } from './process/temporal-logger.ts';
import { CALL_SLOTS, toActivityDeps } from './workers/activity-deps.ts';
import type { WorkerSupplies } from './workers/activity-deps.ts';
import { openWorkerHealth } from './workers/worker-health.ts';
import type { HealthOptions, WorkerHealth } from './workers/worker-health.ts';
import { measureActivities, measuredStore } from './workers/measured-store.ts';
import { openWorkflowCode } from './workers/workflow-code.ts';
import { openTelemetry } from './telemetry/open-telemetry.ts';
import { TASK_QUEUE, SEARCH_ATTRIBUTES } from './workflows/contract.ts';

/** Everything from which the workers of a process are created. */
interface WorkerParts extends WorkerSupplies {
  readonly config: Config;
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** The task queues to serve. */
  readonly taskQueues: readonly string[];
  /** The version of the workers; without a version, they execute every run. */
  readonly deployment?: WorkerDeploymentOptions | null;
}

/**
 * Creates the workers of a process, one for each task queue. Runs and their journal use the engine's own queue; other queues
 * contain only calls of tools.
 */
export async function createWorkers({
  config,
  taskQueues,
  deployment = null,
  ...others
}: WorkerParts): Promise<readonly Worker[]> {
  const store = measuredStore(others.store, others.logger);
  const parts = { ...others, store };
  const { connection, namespace } = parts;
  const options = {
    connection,
    namespace,
    dataConverter: createDataConverter(store.blobs, config.codecs),
    interceptors: INTERCEPTORS,
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY_MS,
    shutdownGraceTime: toMs(config.shutdownGrace),
    shutdownForceTime: toMs(config.shutdownGrace) + FORCE_AFTER_MS,
    ...(deployment && { workerDeploymentOptions: deployment }),
  } as const;
  const calls = createCallActivities(toActivityDeps(config, parts));
  const ofCalls = { ...options, activities: calls, maxConcurrentActivityTaskExecutions: CALL_SLOTS };
  const ofRuns = {
    ...options,
    taskQueue: TASK_QUEUE,
    activities: {
      ...calls,
      ...createJournalActivities({ store }),
      ...createScheduleActivities(store),
    },
    maxConcurrentActivityTaskExecutions: CALL_SLOTS + JOURNAL_SLOTS,
    maxConcurrentLocalActivityExecutions: CALL_SLOTS + REFUSED_CALLS,
  };
  const create = async (taskQueue: string): Promise<Worker> => {
    if (taskQueue !== TASK_QUEUE) return await Worker.create({ ...ofCalls, taskQueue });
    const workflowOptions = { ...ofRuns, ...(await optionsOfRuns(parts)) };
    return await createIsolatedWorker(workflowOptions, processLimits(), reportFailedTask(parts));
  };
  return await Promise.all(taskQueues.map(create));
}

const INTERCEPTORS: WorkerInterceptors = { activity: [measureActivities] };

/**
 * Additional slots that calls never use, because each call also needs one of `CALL_SLOTS`. So many slow calls do not delay
 * the journals and ends of runs.
 */
const JOURNAL_SLOTS = 100;

/** Additional slots for local calls without a free slot of their tenant, which use one of the worker for a moment. */
const REFUSED_CALLS = 100;

/** The time for calls to end after they are canceled at the end of the grace period. */
const FORCE_AFTER_MS = 10_000;

/**
 * The most concurrent workflow tasks. One process runs the workflows' code, so further tasks wait in Temporal's queue, where
 * they do not time out. A run with open local calls keeps its slot.
 */
const TASK_SLOTS = 10;

async function optionsOfRuns({
  logger,
  environment,
}: WorkerSupplies): Promise<Omit<Partial<WorkerOptions>, 'dataConverter'>> {
  return {
    workflowBundle: await openWorkflowCode(environment, logger),
    maxCachedWorkflows: cachedRuns(environment),
    maxConcurrentWorkflowTaskExecutions: TASK_SLOTS,
    // A task waits this long for the worker that caches the run before another worker takes it.
    stickyQueueScheduleToStartTimeout: '3 seconds',
  };
}

/** Runs a worker process. The environment names Temporal, the database and the configuration file. @throws SetupError */
export async function runWorker({ config }: ProcessOptions = {}): Promise<void> {
  const { env } = process;
  const [settings, loaded, target] = await awaitParts([
    (async () => readSettings(WorkerSettings, env))(),
    loadConfig(config ?? setVariables(env)['HOLDFAST_CONFIG']),
    (async () => readTemporalTarget(env))(),
  ]);
  const logger = await openProcessLogger(settings);
  const shutdown = listenForShutdown(logger);
  const { signal } = shutdown;
  await installRuntime(logger, settings.HOLDFAST_TEMPORAL_METRICS_PORT);
  const parts = keepParts();
  const telemetry = await parts.keep(
    openTelemetry(env, { service: 'holdfast-worker', report: (message) => logger.warn(message) }),
    async (opened) => await opened.close(),
  );
  const unavailable = new Set<string>();
  const { HOLDFAST_HEALTH_PORT: port } = settings;
  const health = await shutdown.opening(
    parts.keep(openHealth(port, { shuttingDown: signal, unavailable }), async (opened) => await opened?.stop()),
    () => parts.close(),
  );
  const { workers, ...watched } = await shutdown.opening(
    openParts(loaded, { ...settings, target }, { logger, unavailable, signal: parts.closing, parts }),
    () => parts.close(),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  health?.watch({ workers, ...watched });
  const started = startFields({ mode: 'worker', databaseUrl: settings.DATABASE_URL, target });
  logger.info({ ...started, exporters: telemetry.exporters }, 'worker started');
  for (const message of findMissingSecrets(loaded, process.env)) logger.warn(message);
  void shutdown.requested(toMs(loaded.shutdownGrace) + FORCE_AFTER_MS + CLOSE_WITHIN_MS).then(() => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  });
  await running;
  await parts.close();
}

const CLOSE_WITHIN_MS = 5_000;

async function openHealth(port: number | undefined, options: HealthOptions): Promise<WorkerHealth | null> {
  if (port === undefined) return null;
  return await atPort({ variable: 'HOLDFAST_HEALTH_PORT', port }, async () => await openWorkerHealth(port, options));
}

interface Settings extends WorkerEnvironment {
  readonly target: TemporalTarget;
}

/** Opens the dependencies of the workers, with retries while they are unavailable, and creates the workers. */
async function openParts(loaded: Config, settings: Settings, opening: Opening) {
  const { DATABASE_URL, HOLDFAST_TASK_QUEUES, target } = settings;
  const { logger, parts } = opening;
  const environment = process.env;
  const deployment = readWorkerDeployment(environment);
  const [store, { connection, namespace }] = await Promise.all([
    parts.keep(
      openConfiguredStore(loaded, async () => await connectWithRetry(postgresStore(DATABASE_URL), opening)),
      async (opened) => await opened.close(),
    ),
    parts.keep(
      connectWithRetry(
        temporalDependency(target, (options) => NativeConnection.connect(options)),
        opening,
      ),
      async (opened) => await opened.connection.close(),
    ),
  ]);
  const { config } = await parts.keep(
    connectMcpServers(loaded, { environment, report: (message) => logger.warn(message) }),
    async (opened) => await opened.close(),
  );
  const taskQueues = readTaskQueues(HOLDFAST_TASK_QUEUES, taskQueuesOf(config));
  const opened = { config, store, connection, namespace };
  const checkTemporal = createTemporalCheck({ connection, namespace }, SEARCH_ATTRIBUTES);
  await reportIfNotReady(checkTemporal, logger);
  const workers = await createWorkers({ ...opened, taskQueues, deployment, logger, environment });
  return { workers, store, checkTemporal };
}

if (isMain(import.meta.url)) await runProcess(runWorker);
