import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { loadConfig } from '../config.ts';
import type { AuthConfig } from '../config.ts';
import { createDataConverter } from '../data-converter.ts';
import { isMain } from '../is-main.ts';
import { createLogger } from '../logger.ts';
import { openPostgresStore } from '../store/store.ts';
import { toApiSettings, toCatalog } from '../wiring.ts';
import { createApp } from './app.ts';
import { createAuthenticate } from './authenticate.ts';
import type { AuthSettings } from './authenticate.ts';
import { createCursors } from './cursor.ts';
import { createEngine } from './engine.ts';
import type { ApiDeps } from './environment.ts';
import { listen } from './listen.ts';
import type { Listening, Place } from './listen.ts';
import { startSweeper } from './sweeper.ts';

/** Starts the API, and what looks after runs that were accepted. @throws when the port is taken */
export async function startApi(deps: ApiDeps, place: Place): Promise<Listening> {
  const listening = await listen(createApp(deps), place);
  const sweeper = startSweeper(deps);
  return {
    ...listening,
    async stop() {
      await sweeper.stop();
      await listening.stop();
    },
  };
}

export function toAuthSettings({ issuer, audience, jwksUrl, claims }: AuthConfig): AuthSettings {
  return { issuer, audience, keys: new URL(jwksUrl), claims };
}

/** The API as a process of its own: Temporal and the database by the environment, the configuration by its file. */
async function main(): Promise<void> {
  const { DATABASE_URL, HOLDFAST_CONFIG, HOLDFAST_CURSOR_SECRET, LOG_LEVEL, PORT } = process.env;
  if (!DATABASE_URL) throw new Error('DATABASE_URL is not set; `npm start` runs everything in one process without it');
  if (!HOLDFAST_CURSOR_SECRET)
    throw new Error('HOLDFAST_CURSOR_SECRET is not set: any long random text, the same for every API process');
  const logger = createLogger(LOG_LEVEL ?? 'info');
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const [config, store, connection] = await Promise.all([
    loadConfig(HOLDFAST_CONFIG),
    openPostgresStore(DATABASE_URL),
    Connection.connect(connectionOptions),
  ]);
  if (!config.auth)
    throw new Error('The configuration has no auth section: issuer, audience and jwksUrl of the tokens to accept');
  const authenticate = createAuthenticate(toAuthSettings(config.auth));
  const deps: ApiDeps = {
    store,
    engine: createEngine(connection, namespace, createDataConverter(store.blobs)),
    catalog: toCatalog(config),
    settings: toApiSettings(config),
    authenticate,
    cursors: createCursors(HOLDFAST_CURSOR_SECRET),
    logger,
  };
  const api = await startApi(deps, { port: readPort(PORT), hostname: '0.0.0.0' });
  logger.info({ port: api.port }, 'API listening');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void api.stop().then(() => Promise.all([store.close(), connection.close()]));
    });
  }
}

function readPort(text = '3000'): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`PORT is no port: "${text}"`);
}

if (isMain(import.meta.url)) await main();
