import { NativeConnection, Runtime, Worker, bundleWorkflowCode } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { createActivities } from './activities/index.ts';
import { loadConfig } from './config.ts';
import type { Config } from './config.ts';
import { createDataConverter } from './data-converter.ts';
import { isMain } from './is-main.ts';
import { createLogger } from './logger.ts';
import type { Logger } from './logger.ts';
import { openPostgresStore } from './store/store.ts';
import type { Store } from './store/store.ts';
import { toTemporalLogger } from './temporal-logger.ts';
import { toActivityDeps } from './wiring.ts';
import { workflowCode } from './workflow-code.ts';
import { TASK_QUEUE } from './workflows/contract.ts';

interface WorkerParts {
  readonly config: Config;
  readonly store: Store;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly logger: Logger;
  /** Where secrets are. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Makes a worker that serves runs; `run()` has it work until it is shut down. */
export async function createWorker({
  config,
  store,
  connection,
  namespace,
  logger,
  environment,
}: WorkerParts): Promise<Worker> {
  const workflowBundle = await bundleWorkflowCode({ ...workflowCode, logger: toTemporalLogger(logger) });
  const options: WorkerOptions = {
    connection,
    namespace,
    taskQueue: TASK_QUEUE,
    workflowBundle,
    activities: createActivities(toActivityDeps(config, store, environment)),
    dataConverter: createDataConverter(store.blobs),
    maxCachedWorkflows: 1_000,
    maxConcurrentActivityTaskExecutions: 200,
    // So long a run waits for a worker that is gone before another one takes it over.
    stickyQueueScheduleToStartTimeout: '3 seconds',
    shutdownGraceTime: '30 seconds',
    shutdownForceTime: '60 seconds',
  };
  return await Worker.create(options);
}

/** A worker as a process of its own: Temporal and the database by the environment, the configuration by its file. */
async function main(): Promise<void> {
  const { DATABASE_URL, HOLDFAST_CONFIG, LOG_LEVEL } = process.env;
  const logger = createLogger(LOG_LEVEL ?? 'info');
  if (DATABASE_URL === undefined)
    throw new Error('DATABASE_URL is not set; `npm start` runs everything in one process without it');
  Runtime.install({ logger: toTemporalLogger(logger) });
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const [config, store, connection] = await Promise.all([
    loadConfig(HOLDFAST_CONFIG),
    openPostgresStore(DATABASE_URL),
    NativeConnection.connect(connectionOptions),
  ]);
  const worker = await createWorker({ config, store, connection, namespace, logger, environment: process.env });
  logger.info({ namespace, taskQueue: TASK_QUEUE }, 'worker started');
  await worker.run();
  await Promise.all([store.close(), connection.close()]);
}

if (isMain(import.meta.url)) await main();
