import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import { publishFolder } from '../api/graphs/publish-folder.ts';
import { createAuthenticate } from '../api/http/authenticate.ts';
import { createCursors } from '../api/http/cursor.ts';
import { createSeals } from '../api/http/seals.ts';
import { createEngine } from '../api/temporal/engine.ts';
import type { ApiDeps } from '../api/deps.ts';
import { openInterpreter } from '../api/interpreter/open-interpreter.ts';
import type { Interpreter } from '../api/interpreter/interpreter.ts';
import { startApi } from '../api/server.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/load-config.ts';
import { StackSettings, readSettings } from '../config/settings.ts';
import { connectMcpServers } from '../config/connect-mcp-servers.ts';
import { createDataConverter } from '../process/data-converter.ts';
import type { Catalog } from '../graph/definition/index.ts';
import { createLogger } from '../process/logger.ts';
import type { Logger } from '../process/logger.ts';
import { setVariables } from '../process/set-variables.ts';
import type { TemporalTarget } from '../process/temporal.ts';
import { createMeaningCheck } from '../process/meaning-check.ts';
import { reportIfNotReady } from '../process/temporal-check.ts';
import { withMeaning } from '../store/memory/with-meaning.ts';
import type { Store } from '../store/store.ts';
import { toApiSettings } from '../config/api-settings.ts';
import { openEmbedder } from '../config/open-embedder.ts';
import { toCatalog } from '../config/to-catalog.ts';
import type { WorkerSupplies } from '../workers/activity-deps.ts';
import { readTaskQueues, taskQueuesOf } from '../workers/task-queues.ts';
import { createWorkers } from '../worker.ts';
import { installTemporalRuntime } from './temporal-runtime.ts';
import { openCursorSecret } from './cursor-secret.ts';
import { openDatabase } from './database/open-database.ts';
import type { Database } from './database/open-database.ts';
import { lockFolder } from './folder-lock.ts';
import { CALLERS, openIssuer, signTokens } from './issuer.ts';
import type { Issuer, Tokens } from './issuer.ts';
import { openTemporal } from './open-temporal.ts';
import type { TemporalOptions } from './open-temporal.ts';
import { choosePort, retryIfPortTaken } from './ports.ts';
import { retryAwareStore } from './run-lines/retry-aware-store.ts';
import { tellRuns } from './run-lines/tell-runs.ts';
import { startWithTeardown } from './teardown.ts';
import type { Teardown } from './teardown.ts';
import type { startDemoServices } from './demo-services.ts';

/** All parts of `npm start`: one process and a Temporal server. */
export interface Stack {
  readonly baseUrl: string;
  readonly temporalAddress: string;
  readonly uiUrl: string;
  readonly tokens: Tokens;
  /** The folder whose graphs the configuration publishes; `null`: it names none. */
  graphs(): string | null;
  /**
   * Goes on with the configuration, the tools and the functions of today. Calls under way are finished by the code of before.
   * @throws when they can't be used; all goes on as before then
   */
  reload(): Promise<void>;
  /** Stops all started parts, the last one first. */
  stop(): Promise<void>;
}

export interface StackOptions extends TemporalOptions {
  readonly config?: string | undefined;
  readonly port?: number | undefined;
  readonly logFile?: string | undefined;
  readonly issuerJwk?: string | undefined;
  /** Intervals of the API's sweeper, if they differ from its defaults. */
  readonly sweeping?: ApiDeps['sweeping'];
  /** Does the API's work on definitions; the default is threads. */
  readonly interpreter?: (catalog: Catalog) => Interpreter;
  /** Starts what the configuration looks for in variables of the environment, and gives these variables. */
  readonly services?: typeof startDemoServices;
  /** Receives a line for each thing that happens to a run. */
  readonly tell?: (line: string) => void;
  /** Publishes the graphs of a folder, in place of `publishFolder`. */
  readonly publish?: typeof publishFolder;
}

/** Where Temporal's SDK looks by itself. */
const DEFAULT_ADDRESS = '127.0.0.1:7233';

/** Starts the stack. Its state is in the data folder, so a restarted stack continues its runs. */
export async function startStack(options: StackOptions): Promise<Stack> {
  return await startWithTeardown(async (teardown) => await start(options, teardown));
}

async function start(options: StackOptions, teardown: Teardown): Promise<Stack> {
  const { dataDir, environment } = options;
  const freePort = async (): Promise<number> => await choosePort('the API', options.port, 3000);
  // A requested port that is in use fails at once; the final choice follows when all else is up.
  await freePort();
  // Inputs and outputs of runs lie here, and the keys of tokens.
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  teardown.add(lockFolder(dataDir));
  const logger = createLogger(
    readSettings(StackSettings, environment).LOG_LEVEL,
    options.logFile ?? join(dataDir, 'holdfast.log'),
  );
  installTemporalRuntime(logger);
  const issuer = await openIssuer(options.issuerJwk ?? join(dataDir, 'issuer-key.json'), environment);
  const temporal = await openTemporal(options, teardown);
  const database = await openDatabase(options, teardown);
  if (options.services) Object.assign(environment, await options.services(database.dialect, teardown));
  const store = options.tell ? tellOfRuns(database, options.tell, teardown) : database.store;
  const connection = await Connection.connect(temporal.options);
  teardown.add(() => connection.close());
  const secret = await openCursorSecret(join(dataDir, 'cursor-secret'));
  const open = async (): Promise<Service> =>
    await openService(options, { temporal, connection, store, logger, issuer, secret });
  let service = await open();
  teardown.add(() => service.close());
  const api = await retryIfPortTaken(async () => await startApi(service.deps, { port: await freePort() }));
  teardown.add(() => api.stop());
  return {
    baseUrl: api.url,
    temporalAddress: temporal.options.address ?? DEFAULT_ADDRESS,
    uiUrl: temporal.uiUrl,
    tokens: await signTokens(issuer),
    graphs: () => service.graphs,
    async reload() {
      const before = service;
      service = await open();
      api.open(service.deps);
      const closing = before
        .close()
        .catch((error: unknown) => logger.error({ error }, 'the code of before did not end'));
      teardown.add(() => closing);
    },
    stop: () => teardown.run(),
  };
}

/** The parts that depend on the configuration. */
interface Service {
  readonly deps: Omit<ApiDeps, 'shuttingDown'>;
  readonly graphs: string | null;
  /** Finishes the calls under way. */
  close(): Promise<void>;
}

interface ServiceParts {
  readonly temporal: TemporalTarget;
  readonly connection: Connection;
  readonly store: Store;
  readonly logger: Logger;
  readonly issuer: Issuer;
  readonly secret: string;
}

async function openService(options: StackOptions, parts: ServiceParts): Promise<Service> {
  const { temporal, connection, logger, issuer, secret } = parts;
  const { environment, publish = publishFolder } = options;
  return await startWithTeardown(async (teardown) => {
    const config = await openConfig(options, logger, teardown);
    const store = withMeaning(parts.store, openEmbedder(config, environment), (problem) => logger.warn(problem));
    const catalog = toCatalog(config);
    const interpreter = (options.interpreter ?? openInterpreter)(catalog);
    teardown.add(() => interpreter.close());
    const folder = config.graphs?.folder ?? null;
    if (folder !== null) await publish({ folder, tenants: [CALLERS.user.tenant] }, { store, interpreter });
    const engine = createEngine(connection, temporal.namespace, createDataConverter(store.blobs, config.codecs));
    await reportIfNotReady(engine.ping, logger);
    await reportIfNotReady(createMeaningCheck(store.meaning), logger);
    await startWorkers(temporal, { config, store: parts.store, logger, environment }, teardown);
    const deps = {
      store,
      engine,
      catalog,
      interpreter,
      settings: toApiSettings(config, environment),
      authenticate: createAuthenticate(issuer.auth),
      cursors: createCursors(secret),
      seals: createSeals(secret),
      logger,
      sweeping: options.sweeping,
    };
    return { deps, graphs: folder, close: () => teardown.run() };
  });
}

/** Tells what happens to runs from now on. @returns the store for all that makes it happen */
function tellOfRuns({ store, listen }: Database, say: (line: string) => void, teardown: Teardown): Store {
  const teller = tellRuns({ store, listen, say, since: Date.now() });
  teardown.add(() => teller.close());
  return retryAwareStore(store, (runId) => teller.look(runId));
}

async function openConfig(options: StackOptions, logger: Logger, teardown: Teardown): Promise<Config> {
  const { environment } = options;
  const loaded = await loadConfig(options.config ?? setVariables(environment)['HOLDFAST_CONFIG']);
  const report = (message: string): void => logger.warn(message);
  const connected = await connectMcpServers(loaded, { environment, report });
  teardown.add(() => connected.close());
  return connected.config;
}

/** Serves all known queues, unless the environment names some. */
async function startWorkers(
  { options, namespace }: TemporalTarget,
  deps: WorkerSupplies & { readonly config: Config },
  teardown: Teardown,
): Promise<void> {
  const connection = await NativeConnection.connect(options);
  teardown.add(() => connection.close());
  const known = taskQueuesOf(deps.config);
  const taskQueues = readTaskQueues(deps.environment['HOLDFAST_TASK_QUEUES'] || known.join(), known);
  const workers = await createWorkers({ ...deps, connection, namespace, taskQueues });
  keepRunning(workers, deps.logger, teardown);
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
