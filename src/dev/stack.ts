import { mkdir, chmod, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { StackSettings, readSettings } from '../config/settings.ts';
import { createServerPool } from '../config/server-pool.ts';
import type { PayloadReader } from '../process/data-converter.ts';
import { createLogger } from '../process/logger.ts';
import type { Logger } from '../process/logger.ts';
import { setVariables } from '../process/process-options.ts';
import { startFields } from '../process/start-fields.ts';
import { temporalAddressOf } from '../process/temporal.ts';
import type { Store } from '../store/store.ts';
import { openThreadedDatabase } from './database/open-threaded-database.ts';
import type { StackDatabase } from './database/open-store.ts';
import type { startDemoServices } from './demo-services.ts';
import { lockFolder } from './data-folder.ts';
import { openIssuer, openLocalSignIn, signTokens } from './issuer.ts';
import type { CallerTokens } from './issuer.ts';
import type { TemporalOptions } from './open-temporal.ts';
import { startWithoutReport, timeParts } from './progress.ts';
import type { StartedPart, TimePart } from './progress.ts';
import type { RunLine } from './run-lines.ts';
import { choosePort, retryIfPortTaken } from './ports.ts';
import type { Service, ServiceOptions } from './service.ts';
import { openTelemetry } from '../telemetry/open-telemetry.ts';
import { settleAllParts, startWithTeardown } from './teardown.ts';
import type { Teardown } from './teardown.ts';
import { provideBundle } from './workflow-bundle.ts';

/** All parts of `npm start`: one process and a Temporal server. */
export interface Stack {
  readonly baseUrl: string;
  readonly temporalAddress: string;
  readonly uiUrl: string;
  readonly tokens: CallerTokens;
  /** The folder of the graphs that the configuration publishes; `null` without one. */
  graphs(): string | null;
  /**
   * Reloads the configuration, the tools and the functions. Open calls are completed by the previous code.
   * @throws when they are unusable; the previous ones then stay in use
   */
  reload(): Promise<void>;
  /** Aborts with the reason when a Temporal server that the stack started exits. */
  readonly broken: AbortSignal;
  /** Access to the histories of its runs, and the converter that reads them. */
  histories(): HistorySource;
  /** Stops all started parts, the last one first. */
  stop(): Promise<void>;
}

export interface HistorySource {
  readonly connection: Connection;
  readonly namespace: string;
  readonly dataConverter: PayloadReader;
}

export interface StackOptions extends TemporalOptions, Omit<ServiceOptions, 'timePart'> {
  readonly port?: number | undefined;
  readonly logFile?: string | undefined;
  readonly issuerJwk?: string | undefined;
  /** Starts the services that the configuration needs, and returns the environment variables with their addresses. */
  readonly services?: typeof startDemoServices;
  /** Receives each part once it has started. */
  readonly started?: (part: StartedPart) => void;
  /** Receives a line for each event of a run. */
  readonly printRun?: (line: RunLine) => void;
}

/** Starts the stack. Its state is in the data folder, so a restarted stack continues its runs. */
export async function startStack(options: StackOptions): Promise<Stack> {
  return await startWithTeardown(
    async (teardown) => await startStackParts({ ...options, say: once(options.say) }, teardown),
  );
}

async function startStackParts(options: StackOptions, teardown: Teardown): Promise<Stack> {
  const { dataDir, environment, printRun } = options;
  const timePart = options.started ? timeParts(options.started) : startWithoutReport;
  const freePort = async (): Promise<number> => await choosePort('the API', options.port, 3000);
  // A requested port that is in use fails at once; the final choice is made when all other parts have started.
  await freePort();
  // The folder contains inputs and outputs of runs, and the keys of tokens.
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  teardown.add(lockFolder(dataDir));
  const { logger, exporters, temporalMetrics } = await openStackLog(options, teardown);
  const broken = new AbortController();
  const bundle = provideBundle(environment);
  // The workers receive this failure when they await the bundle.
  bundle.catch(() => undefined);
  // Modules are loaded while the database opens in its thread, because both take seconds.
  const [database, temporal, issuer, secret, { connectToTemporal, openService }, { startApi }] = await settleAllParts([
    timePart('PostgreSQL', async () => await openDatabase(options, teardown)),
    timePart('Temporal', async () => await openWatchedTemporal(options, broken, teardown)),
    openIssuer(options.issuerJwk ?? join(dataDir, 'issuer-key.json'), environment),
    openCursorSecret(join(dataDir, 'cursor-secret')),
    import('./service.ts'),
    import('../api/server.ts'),
  ]);
  const startServices = async () => await options.services?.(database.dialect, teardown);
  if (options.services) Object.assign(environment, await timePart('Scripted model and shop', startServices));
  const store = printRun ? await openRunLines(database, printRun, teardown) : database.store;
  const connection = await connectToTemporal(temporal, logger, temporalMetrics);
  teardown.add(() => connection.close());
  const held = { localSignIn: openLocalSignIn(issuer), pool: createServerPool() };
  const parts = { temporal, connection, store, logger, issuer, secret, bundle, ...held };
  const open = async (time: TimePart): Promise<Service> => await openService({ ...options, timePart: time }, parts);
  let service = await open(timePart);
  teardown.add(() => service.close());
  const api = await retryIfPortTaken(async () => await startApi(service.deps, { port: await freePort() }));
  teardown.add(() => api.stop());
  logger.info({ port: api.port, ...startFields({ mode: 'start', target: temporal }), exporters }, 'started');
  return {
    baseUrl: api.url,
    temporalAddress: temporalAddressOf(temporal.options),
    uiUrl: temporal.uiUrl,
    tokens: await signTokens(issuer),
    graphs: () => service.graphs,
    async reload() {
      const before = service;
      service = await open(startWithoutReport);
      api.open(service.deps);
      const closing = closeFormer(before, logger);
      teardown.add(() => closing);
    },
    broken: broken.signal,
    histories: () => ({ connection, namespace: temporal.namespace, dataConverter: service.dataConverter }),
    stop: () => teardown.run(),
  };
}

async function closeFormer(service: Service, logger: Logger): Promise<void> {
  await service.close().catch((error: unknown) => logger.error({ error }, 'the code of before did not end'));
}

/** Opens the database that `DATABASE_URL` names, or an embedded one in the data folder. */
export async function openDatabase(
  { environment, dataDir }: Pick<StackOptions, 'environment' | 'dataDir'>,
  teardown: Teardown,
): Promise<StackDatabase> {
  const { DATABASE_URL } = setVariables(environment);
  if (DATABASE_URL !== undefined) {
    const { openStore } = await import('./database/open-store.ts');
    return await openStore(DATABASE_URL, teardown);
  }
  // The store's modules are loaded while the thread starts.
  const [database, { openStore }] = await settleAllParts([
    openThreadedDatabase(resolve(dataDir, 'pglite')),
    import('./database/open-store.ts'),
  ]);
  teardown.add(() => database.close());
  return await openStore({ database, blobs: resolve(dataDir, 'blobs') }, teardown);
}

/** Returns a function that passes each message on once. */
function once(say: (message: string) => void): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (!said.has(message)) say(message);
    said.add(message);
  };
}

/** Opens Temporal. @param broken aborts when a server that was started here exits by itself */
async function openWatchedTemporal(options: StackOptions, broken: AbortController, teardown: Teardown) {
  const { openTemporal } = await import('./open-temporal.ts');
  return await openTemporal({ ...options, onLost: (error) => broken.abort(error) }, teardown);
}

/** Opens the log, and starts sending spans and metrics if the environment configures it. */
async function openStackLog({ dataDir, logFile, environment }: StackOptions, teardown: Teardown) {
  const { LOG_LEVEL: level, HOLDFAST_TEMPORAL_METRICS_PORT: temporalMetrics } = readSettings(
    StackSettings,
    environment,
  );
  const logger = createLogger(level, logFile ?? join(dataDir, 'holdfast.log'));
  const report = (message: string): void => logger.warn(message);
  const telemetry = await openTelemetry(environment, { service: 'holdfast', report });
  teardown.add(() => telemetry.close());
  return { logger, exporters: telemetry.exporters, temporalMetrics };
}

/** Prints events of runs from now on. @returns the store that workers and API must write to */
async function openRunLines(
  { store, listen }: StackDatabase,
  print: (line: RunLine) => void,
  teardown: Teardown,
): Promise<Store> {
  const { printRuns, retryAwareStore } = await import('./run-lines.ts');
  const printer = printRuns({ store, listen, print, since: Date.now() });
  teardown.add(() => printer.close());
  return retryAwareStore(store, (runId) => printer.look(runId));
}

const BYTES = 32;

/**
 * Opens the secret that signs cursors.
 * @param file created with a random secret if it is missing; readable by its owner only
 */
export async function openCursorSecret(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept.length >= BYTES) return kept;
  const made = randomBytes(BYTES).toString('base64url');
  await writeFile(file, made, { mode: 0o600 });
  await chmod(file, 0o600);
  return made;
}
