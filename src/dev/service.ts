import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import type { ApiDeps, LocalSignIn } from '../api/deps.ts';
import { publishFolder } from '../api/graphs/publish-graph.ts';
import { createAuthenticate } from '../api/http/authenticate.ts';
import { createCursors } from '../api/http/paging.ts';
import { createFingerprints } from '../api/http/fingerprints.ts';
import { openGraphJobs } from '../api/graph-jobs/open-graph-jobs.ts';
import { createEngine } from '../api/temporal/engine.ts';
import { toApiSettings } from '../config/api-settings.ts';
import { connectMcpServers } from '../config/connect-mcp-servers.ts';
import type { ConnectedConfig } from '../config/connect-mcp-servers.ts';
import type { ServerPool } from '../config/server-pool.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/load-config.ts';
import { openEmbedder } from '../config/open-embedder.ts';
import { openConfiguredStore } from '../config/store.ts';
import { toCatalog } from '../config/to-catalog.ts';
import type { Catalog } from '../graph/definition/index.ts';
import { messageOf } from '../graph/values/index.ts';
import { createDataConverter } from '../process/data-converter.ts';
import type { PayloadReader } from '../process/data-converter.ts';
import type { Logger } from '../process/logger.ts';
import { setVariables } from '../process/process-options.ts';
import { SetupError } from '../process/setup-error.ts';
import { temporalAddressOf } from '../process/temporal.ts';
import type { TemporalTarget } from '../process/temporal.ts';
import { createMeaningCheck } from '../process/readiness.ts';
import { reportIfNotReady } from '../process/search-attributes.ts';
import { withMeaning } from '../store/memory/with-meaning.ts';
import type { Store } from '../store/store.ts';
import { createWorkers } from '../worker.ts';
import type { WorkerSupplies } from '../workers/activity-deps.ts';
import { readTaskQueues, taskQueuesOf } from '../workers/worker-options.ts';
import { findMissingSecrets } from '../config/missing-secrets.ts';
import { CALLERS } from './issuer.ts';
import type { Issuer } from './issuer.ts';
import type { TimePart } from './progress.ts';
import { settleAllParts, startWithTeardown } from './teardown.ts';
import type { Teardown } from './teardown.ts';
import { installRuntime } from '../process/temporal-logger.ts';
import type { GraphJobs } from '../api/graph-jobs/jobs.ts';

/** The parts of a stack that depend on the configuration. */
export interface Service {
  readonly deps: Omit<ApiDeps, 'shuttingDown'>;
  /** The data converter of its workers. */
  readonly dataConverter: PayloadReader;
  /** The folder of the graphs that the configuration publishes; `null` without one. */
  readonly graphs: string | null;
  /** Completes the open calls, then closes. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** Receives what is missing for the operator. */
  readonly say: (message: string) => void;
  readonly environment: NodeJS.ProcessEnv;
  readonly config?: string | undefined;
  /** Intervals of the API's sweeper; its defaults otherwise. */
  readonly sweeping?: ApiDeps['sweeping'];
  /** Executes the API's work on definitions; threads by default. */
  readonly graphJobs?: (catalog: Catalog) => GraphJobs;
  readonly timePart: TimePart;
  /** Publishes the graphs of a folder instead of `publishFolder`. */
  readonly publish?: typeof publishFolder;
}

/** Parts that a service uses but does not close. */
export interface ServiceParts {
  readonly temporal: TemporalTarget;
  readonly connection: Connection;
  readonly store: Store;
  readonly logger: Logger;
  readonly issuer: Issuer;
  readonly secret: string;
  readonly localSignIn: LocalSignIn;
  /** The connections to MCP servers, which outlast a service. */
  readonly pool: ServerPool;
  /** The file of the workflow bundle; `null` if workers find it by themselves. */
  readonly bundle: Promise<string | null>;
}

/**
 * Connects the API of a stack to Temporal, and prepares the process for workers.
 * @throws SetupError when Temporal is unavailable
 */
export async function connectToTemporal(
  { options }: TemporalTarget,
  logger: Logger,
  metricsPort?: number,
): Promise<Connection> {
  await installTemporalRuntime(logger, metricsPort);
  return await Connection.connect(options).catch((error: unknown) => {
    throw new SetupError(`Temporal at ${temporalAddressOf(options)} can't be reached: ${messageOf(error)}`, {
      cause: error,
    });
  });
}

/** Reads the configuration and starts workers with it. @throws when the configuration is unusable */
export async function openService(options: ServiceOptions, parts: ServiceParts): Promise<Service> {
  const { temporal, connection, logger, issuer, secret, localSignIn } = parts;
  const { environment, timePart, publish = publishFolder } = options;
  return await startWithTeardown(async (teardown) => {
    const { config, warnings: toolWarnings } = await openConfig(options, parts, teardown);
    const opened = await openStoreOfConfig(config, parts.store, teardown);
    const store = withMeaning(opened, openEmbedder(config, environment), (problem) => logger.warn(problem));
    const catalog = toCatalog(config);
    const graphJobs = (options.graphJobs ?? openGraphJobs)(catalog);
    teardown.add(() => graphJobs.close());
    const folder = config.graphs?.folder ?? null;
    const dataConverter = createDataConverter(store.blobs, config.codecs);
    const engine = createEngine(connection, temporal.namespace, dataConverter);
    const folders = folder === null ? [] : [{ folder, tenants: [CALLERS.user.tenant] }];
    await settleAllParts([
      ...folders.map(async (each) => await publish(each, { store, graphJobs })),
      reportIfNotReady(engine.ping, logger),
      reportIfNotReady(createMeaningCheck(store.meaning), logger),
      timePart(
        'Worker',
        async () => await startWorkers(parts, config, { store: opened, logger, environment }, teardown),
      ),
    ]);
    const deps = {
      store,
      engine,
      catalog,
      toolWarnings,
      graphJobs,
      settings: { ...toApiSettings(config, environment), console: null, claims: issuer.auth.claims },
      authenticate: createAuthenticate(issuer.auth, config.roles),
      cursors: createCursors(secret),
      fingerprints: createFingerprints(secret),
      logger,
      localSignIn,
      hasOpenMetrics: true,
      sweeping: options.sweeping,
    };
    for (const message of findMissingSecrets(config, environment)) {
      logger.warn(message);
      options.say(message);
    }
    return { deps, dataConverter, graphs: folder, close: () => teardown.run() };
  });
}

/** Opens the store of the configuration. The underlying store stays open, because it is used again after a reload. */
async function openStoreOfConfig(config: Config, below: Store, teardown: Teardown): Promise<Store> {
  const store = await openConfiguredStore(config, async () => ({ ...below, close: async () => undefined }));
  teardown.add(() => store.close());
  return store;
}

async function openConfig(
  options: ServiceOptions,
  { logger, pool }: ServiceParts,
  teardown: Teardown,
): Promise<ConnectedConfig> {
  const { environment, timePart } = options;
  const loaded = await loadConfig(options.config ?? setVariables(environment)['HOLDFAST_CONFIG']);
  const report = (message: string): void => logger.warn(message);
  const connect = async (): Promise<ConnectedConfig> => await connectMcpServers(loaded, { environment, report, pool });
  const names = Object.keys(loaded.mcpServers);
  const connected = names.length === 0 ? await connect() : await timePart(`MCP server ${names.join(', ')}`, connect);
  teardown.add(() => connected.close());
  return connected;
}

/** Serves all known task queues, unless the environment names some. */
async function startWorkers(
  { temporal: { options, namespace }, bundle }: ServiceParts,
  config: Config,
  supplies: WorkerSupplies,
  teardown: Teardown,
): Promise<void> {
  const connection = await NativeConnection.connect(options);
  teardown.add(() => connection.close());
  const known = taskQueuesOf(config);
  const taskQueues = readTaskQueues(supplies.environment['HOLDFAST_TASK_QUEUES'] || known.join(), known);
  const file = await bundle;
  const environment = { ...supplies.environment, ...(file !== null && { HOLDFAST_WORKFLOW_BUNDLE: file }) };
  const workers = await createWorkers({ ...supplies, config, environment, connection, namespace, taskQueues });
  keepRunning(workers, supplies.logger, teardown);
}

function keepRunning(workers: readonly Worker[], logger: Logger, teardown: Teardown): void {
  const running = workers.map((worker) =>
    worker.run().catch((error: unknown) => logger.error({ error }, 'the worker failed')),
  );
  teardown.add(async () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all(running);
  });
}

let runningInstall: Promise<void> | null = null;

/**
 * Installs Temporal's runtime without its signal handlers. A process has one runtime: only the first call has an
 * effect.
 * @param metricsPort as in `installRuntime`
 */
export async function installTemporalRuntime(logger: Logger, metricsPort?: number): Promise<void> {
  await (runningInstall ??= installRuntime(logger, metricsPort));
}
