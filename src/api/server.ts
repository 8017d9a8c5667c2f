import { loadConfig } from '../config/load-config.ts';
import type { AuthConfig, Config } from '../config/load-config.ts';
import { addMcpTools } from '../config/connect-mcp-servers.ts';
import { createDataConverter } from '../process/data-converter.ts';
import { toMs } from '../graph/values/index.ts';
import { isMain } from '../process/is-main.ts';
import { listenForShutdown } from '../process/listen-for-shutdown.ts';
import { createLogger } from '../process/logger.ts';
import type { ProcessOptions } from '../process/process-options.ts';
import { postgresStore } from '../store/store.ts';
import { temporal } from '../process/temporal.ts';
import { connectWithRetry } from '../process/connect-with-retry.ts';
import type { RetryOptions } from '../process/connect-with-retry.ts';
import { readPort } from '../process/read-port.ts';
import { toApiSettings } from '../config/api-settings.ts';
import { toCatalog } from '../config/to-catalog.ts';
import { createAuthenticate } from './http/authenticate.ts';
import type { AuthSettings } from './http/authenticate.ts';
import { createCursors } from './http/cursor.ts';
import { createSeals } from './http/seals.ts';
import { openDoor } from './door.ts';
import type { Door } from './door.ts';
import { openInterpreter } from './interpreter/open-interpreter.ts';
import { createEngine } from './temporal/engine.ts';
import { openConnection } from './temporal/open-connection.ts';
import type { ApiDeps } from './deps.ts';
import type { ListenOptions } from '../process/listen.ts';

/** Starts the API and the sweeper. @throws when the port is taken */
export async function startApi(deps: Omit<ApiDeps, 'shuttingDown'>, options: ListenOptions): Promise<Door> {
  const door = await openDoor({ ...options, graceMs: deps.settings.shutdownGraceMs });
  door.open(deps);
  return door;
}

export function toAuthSettings({ issuer, audience, jwksUrl, claims }: AuthConfig): AuthSettings {
  return { issuer, audience, keys: new URL(jwksUrl), claims };
}

/** Runs an API process: the environment gives Temporal and the database, a file the configuration. */
export async function runApi(options: ProcessOptions = {}): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger(settings.logLevel);
  const shutdown = listenForShutdown(logger);
  const config = await loadConfig(options.config ?? settings.configFile);
  const unavailable = new Set<string>();
  const graceMs = toMs(config.shutdownGrace);
  const door = await openDoor({ port: settings.port, hostname: '0.0.0.0', graceMs }, unavailable);
  const parts = await shutdown.opening(openParts(config, settings, { logger, unavailable }));
  door.open(parts.deps);
  logger.info({ port: door.port }, 'API listening');
  await shutdown.asked(graceMs + CLOSE_WITHIN_MS);
  await door.stop();
  await parts.close();
}

/** The time to close connections, for servers that do not answer. */
const CLOSE_WITHIN_MS = 5_000;

interface Settings {
  readonly databaseUrl: string;
  readonly configFile: string | undefined;
  readonly cursorSecret: string;
  readonly logLevel: string;
  readonly port: number;
}

function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const { DATABASE_URL, HOLDFAST_CONFIG, HOLDFAST_CURSOR_SECRET, LOG_LEVEL = 'info', PORT = '3000' } = environment;
  if (!DATABASE_URL) throw new Error('DATABASE_URL is not set; `npm start` runs everything in one process without it');
  if (!HOLDFAST_CURSOR_SECRET)
    throw new Error('HOLDFAST_CURSOR_SECRET is not set: any long random text, the same for every API process');
  return {
    databaseUrl: DATABASE_URL,
    configFile: HOLDFAST_CONFIG,
    cursorSecret: HOLDFAST_CURSOR_SECRET,
    logLevel: LOG_LEVEL,
    port: readPort('PORT', PORT),
  };
}

/** Opens all that the API needs; dependencies that are away are waited for. */
async function openParts(loaded: Config, { databaseUrl, cursorSecret }: Settings, patience: RetryOptions) {
  const { logger } = patience;
  if (!loaded.auth)
    throw new Error('The configuration has no auth section: issuer, audience and jwksUrl of the tokens to accept');
  const authenticate = createAuthenticate(toAuthSettings(loaded.auth));
  const report = (message: string): void => logger.warn(message);
  const [config, store, { connection, namespace }] = await Promise.all([
    addMcpTools(loaded, { environment: process.env, report }),
    connectWithRetry(postgresStore(databaseUrl), patience),
    connectWithRetry(temporal(openConnection), patience),
  ]);
  const engine = createEngine(connection, namespace, createDataConverter(store.blobs, config.codecs));
  const catalog = toCatalog(config);
  const interpreter = openInterpreter(catalog);
  const deps = {
    store,
    engine,
    catalog,
    interpreter,
    settings: toApiSettings(config),
    authenticate,
    cursors: createCursors(cursorSecret),
    seals: createSeals(cursorSecret),
    logger,
  };
  return {
    deps,
    close: async () => void (await Promise.all([interpreter.close(), store.close(), connection.close()])),
  };
}

if (isMain(import.meta.url)) await runApi();
