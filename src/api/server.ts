import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/load-config.ts';
import type { AuthConfig } from '../config/auth.ts';
import { addMcpTools } from '../config/connect-mcp-servers.ts';
import { createDataConverter } from '../process/data-converter.ts';
import { toMs } from '../graph/values/index.ts';
import { atPort } from '../process/at-port.ts';
import { keepParts, connectWithRetry } from '../process/connect-with-retry.ts';
import type { Opening } from '../process/connect-with-retry.ts';
import { isMain } from '../process/own-code.ts';
import { listenForShutdown } from '../process/listen-for-shutdown.ts';
import { openProcessLogger } from '../process/logger.ts';
import { setVariables } from '../process/process-options.ts';
import type { ProcessOptions } from '../process/process-options.ts';
import { openMetricsPort } from './routes/metrics.ts';
import { withMeaning } from '../store/memory/with-meaning.ts';
import { isDatabaseAway } from '../store/database/database-away.ts';
import { postgresStore } from '../store/store.ts';
import { readTemporalTarget, temporal } from '../process/temporal.ts';
import type { TemporalTarget } from '../process/temporal.ts';
import { createMeaningCheck, SHUTTING_DOWN, startingUp, createProbes } from '../process/readiness.ts';
import { reportIfNotReady } from '../process/temporal-check.ts';
import { startFields } from '../process/start-fields.ts';
import { SetupError, runProcess, together } from '../process/setup-error.ts';
import { ApiSettings, readSettings } from '../config/settings.ts';
import type { ApiEnvironment } from '../config/settings.ts';
import { openConfiguredStore } from '../config/store.ts';
import { toApiSettings } from '../config/api-settings.ts';
import { toCatalog } from '../config/to-catalog.ts';
import { openEmbedder } from '../config/open-embedder.ts';
import { openTelemetry } from '../telemetry/open-telemetry.ts';
import { createAuthenticate } from './http/authenticate.ts';
import type { AuthSettings } from './http/authenticate.ts';
import { createCursors } from './http/paging.ts';
import { createFingerprints } from './http/fingerprints.ts';
import { publishFolder } from './graphs/publish-graph.ts';
import { openGraphJobs } from './graph-jobs/open-graph-jobs.ts';
import { createEngine, openConnection } from './temporal/engine.ts';
import type { ApiDeps } from './deps.ts';
import { listen, openAbort } from '../process/listen.ts';
import type { ListenOptions, App, Listening } from '../process/listen.ts';
import { createApp } from './app.ts';
import { unavailableNow } from './http/errors.ts';
import { startSweeper } from './sweeper/sweeper.ts';
import type { Sweeper } from './sweeper/sweeper.ts';

/** Starts the API and the sweeper. @throws when the port is in use */
export async function startApi(deps: Omit<ApiDeps, 'shuttingDown'>, options: ListenOptions): Promise<ApiServer> {
  const apiServer = await openApiServer({ ...options, graceMs: deps.settings.shutdownGraceMs });
  apiServer.open(deps);
  return apiServer;
}

export function toAuthSettings({ issuer, audience, jwksUrl, claims }: AuthConfig): AuthSettings {
  return { issuer, audience, keys: new URL(jwksUrl), claims };
}

/**
 * Runs an API process. The environment configures Temporal and the database, and a file everything else.
 * @param sweeping overrides of the sweeper's default intervals
 * @throws SetupError
 */
export async function runApi(options: ProcessOptions = {}, sweeping: ApiDeps['sweeping'] = {}): Promise<void> {
  const { env } = process;
  const [settings, config, target] = await together([
    (async () => readSettings(ApiSettings, env))(),
    loadConfig(options.config ?? setVariables(env)['HOLDFAST_CONFIG']).then(requireAuth),
    (async () => readTemporalTarget(env))(),
  ]);
  const logger = await openProcessLogger(settings);
  const shutdown = listenForShutdown(logger);
  const parts = keepParts();
  const telemetry = await parts.keep(
    openTelemetry(env, { service: 'holdfast-api', report: (message) => logger.warn(message) }),
    async (opened) => await opened.close(),
  );
  const unavailable = new Set<string>();
  const graceMs = toMs(config.shutdownGrace);
  const { PORT: port } = settings;
  const apiServer = await shutdown.opening(
    atPort(
      { variable: 'PORT', port },
      async () => await openApiServer({ port, hostname: '0.0.0.0', graceMs }, unavailable),
    ),
    () => parts.close(),
  );
  const close = async (): Promise<void> => {
    await apiServer.stop();
    await parts.close();
  };
  const deps = await shutdown.opening(
    openApiDeps(config, { ...settings, target }, { logger, unavailable, signal: parts.closing, parts }),
    close,
  );
  apiServer.open({ ...deps, sweeping });
  const { METRICS_PORT: metricsPort, METRICS_HOST: hostname = '127.0.0.1' } = settings;
  if (metricsPort !== undefined)
    await shutdown.opening(openMetrics({ port: metricsPort, hostname }, deps, parts), close);
  const started = startFields({ mode: 'api', databaseUrl: settings.DATABASE_URL, target });
  logger.info({ port: apiServer.port, ...started, exporters: telemetry.exporters }, 'API listening');
  await shutdown.requested(graceMs + CLOSE_WITHIN_MS);
  await close();
}

async function openMetrics(
  address: Parameters<typeof openMetricsPort>[0],
  deps: Parameters<typeof openMetricsPort>[1],
  parts: Opening['parts'],
): Promise<void> {
  const opening = atPort(
    { variable: 'METRICS_PORT', port: address.port },
    async () => await openMetricsPort(address, deps),
  );
  await parts.keep(opening, async (opened) => await opened.stop());
}

type ApiConfig = Config & { readonly auth: AuthConfig };

function requireAuth({ auth, ...config }: Config): ApiConfig {
  if (auth) return { ...config, auth };
  throw new SetupError('The configuration has no auth section: issuer, audience and jwksUrl of the tokens to accept');
}

/** The time to close connections to servers that do not answer. */
const CLOSE_WITHIN_MS = 5_000;

interface ServerSettings extends ApiEnvironment {
  readonly target: TemporalTarget;
}

/** Opens all dependencies of the API and waits for those that are unavailable. */
async function openApiDeps(loaded: ApiConfig, settings: ServerSettings, patience: Opening) {
  const { DATABASE_URL, HOLDFAST_CURSOR_SECRET: cursorSecret, target } = settings;
  const { logger, parts } = patience;
  const authenticate = createAuthenticate(toAuthSettings(loaded.auth), loaded.roles);
  const report = (message: string): void => logger.warn(message);
  const [{ config, warnings: toolWarnings }, opened, { connection, namespace }] = await Promise.all([
    addMcpTools(loaded, { environment: process.env, report }),
    parts.keep(
      openConfiguredStore(loaded, async () => await connectWithRetry(postgresStore(DATABASE_URL), patience)),
      async (store) => await store.close(),
    ),
    parts.keep(
      connectWithRetry(temporal(target, openConnection), patience),
      async (temporalConnection) => await temporalConnection.connection.close(),
    ),
  ]);
  const store = withMeaning(opened, openEmbedder(config, process.env), report);
  const engine = createEngine(connection, namespace, createDataConverter(store.blobs, config.codecs));
  await reportIfNotReady(engine.ping, logger);
  await reportIfNotReady(createMeaningCheck(store.meaning), logger);
  const catalog = toCatalog(config);
  const graphJobs = await parts.keep(openGraphJobs(catalog), async (opened) => await opened.close());
  const publish = async () => await publishGraphs(loaded, { store, graphJobs }, report);
  await connectWithRetry({ name: 'the database', open: publish, isAway: isDatabaseAway }, patience);
  return {
    store,
    engine,
    catalog,
    toolWarnings,
    graphJobs,
    settings: toApiSettings(config, process.env),
    authenticate,
    cursors: createCursors(cursorSecret),
    fingerprints: createFingerprints(cursorSecret),
    logger,
  };
}

/**
 * Publishes graphs for the tenants that the configuration names. The tenant of `npm start` is not used here, as it may
 * be a real one.
 */
async function publishGraphs(
  { graphs }: Pick<ApiConfig, 'graphs'>,
  publisher: Pick<ApiDeps, 'store' | 'graphJobs'>,
  report: (message: string) => void,
): Promise<void> {
  if (graphs?.tenants.length === 0)
    report('"graphs" of the configuration names no tenants, so none of its graphs is published');
  else if (graphs) await publishFolder(graphs, publisher);
}

if (isMain(import.meta.url)) await runProcess(async () => await runApi());

/** The listening port of the API. Until the API is open, it answers probes, and refuses all other requests with 503. */
export interface ApiServer extends Listening {
  /**
   * Opens the API and starts the sweeper. If it was open already, it continues with the new dependencies, and the old
   * sweeper stops.
   */
  open(deps: Omit<ApiDeps, 'shuttingDown'>): void;
}

/** @param unavailable the dependencies for which the process waits @throws when the port is in use */
export async function openApiServer(
  options: ListenOptions,
  unavailable: ReadonlySet<string> = new Set(),
): Promise<ApiServer> {
  const shuttingDown = openAbort();
  const readiness = async () => (shuttingDown.signal.aborted ? SHUTTING_DOWN : startingUp(unavailable));
  let app: App = createProbes(readiness, async () => unavailableNow(await readiness()));
  let sweeper: Sweeper | null = null;
  const listening = await listen({ fetch: (...request) => app.fetch(...request) }, options);
  return {
    ...listening,
    open(deps) {
      app = createApp({ ...deps, shuttingDown: shuttingDown.signal });
      void sweeper?.stop();
      sweeper = startSweeper(deps);
    },
    async stop() {
      shuttingDown.abort();
      await Promise.all([listening.stop(), sweeper?.stop()]);
    },
  };
}
