import { Hono } from 'hono';
import { z } from 'zod';
import { SETTINGS, readSettings } from '../config/settings.ts';
import { atPort, listenOnPort } from '../process/listen.ts';
import { isMain } from '../process/own-code.ts';
import type { OpenPort, ListenOptions } from '../process/listen.ts';
import { listenForShutdown } from '../process/listen-for-shutdown.ts';
import { createLogger } from '../process/logger.ts';
import { SetupError, runProcess } from '../process/setup-error.ts';
import { createPostgresDialect } from '../store/database/postgres-dialect.ts';
import { openIssuer, signTokens } from './issuer.ts';
import { startScriptedModel } from './scripted-model/server.ts';
import { startShop } from './shop/server.ts';

/* A stand-in for a third party, as a process of its own: `node dist/dev/demo-process.js issuer`. The Compose file has them. */

type ServeOnPort = (options: ListenOptions, environment: NodeJS.ProcessEnv) => Promise<OpenPort>;

const SERVICES: Readonly<Record<string, ServeOnPort>> = {
  issuer: serveIssuer,
  model: startScriptedModel,
  shop: serveShop,
};

const IssuerSettings = z.object({
  /** The file of the private key, which is created if it is missing. */
  ISSUER_KEY: z.string(),
  /** The address of the API for holders of a token. */
  HOLDFAST_URL: z.string(),
});

/** Serves its public keys at `/keys`, and at `/tokens` a tokens file for the command line, without authentication. */
async function serveIssuer(options: ListenOptions, environment: NodeJS.ProcessEnv): Promise<OpenPort> {
  const { ISSUER_KEY, HOLDFAST_URL: baseUrl } = readSettings(IssuerSettings, environment);
  const issuer = await openIssuer(ISSUER_KEY, environment);
  const app = new Hono();
  app.get('/keys', (context) => context.json(issuer.auth.keys));
  app.get('/tokens', async (context) => context.json({ baseUrl, ...(await signTokens(issuer)) }));
  return await listenOnPort(app, options);
}

const ShopSettings = z.object({
  DATABASE_URL: SETTINGS.DATABASE_URL.schema,
  SHOP_AUTHORIZATION: z.string().regex(/^Bearer ./, 'must be the header of its tools: Bearer, and a key'),
});

async function serveShop(options: ListenOptions, environment: NodeJS.ProcessEnv): Promise<OpenPort> {
  const { DATABASE_URL, SHOP_AUTHORIZATION } = readSettings(ShopSettings, environment);
  const dialect = createPostgresDialect(DATABASE_URL, { maxConnections: 5 });
  return await startShop({ ...options, dialect, apiKey: SHOP_AUTHORIZATION.replace(/^Bearer /, '') });
}

const ProcessSettings = z.object({ PORT: SETTINGS.PORT.schema, LOG_LEVEL: SETTINGS.LOG_LEVEL.schema });
const SERVICE_CLOSE_WITHIN_MS = 5_000;

/** Runs the service until a signal ends it. @throws SetupError for an unknown service, or a missing variable */
async function runDemoProcess([name = '']: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const serve = SERVICES[name];
  if (!serve) throw new SetupError(`There is no service "${name}": ${Object.keys(SERVICES).join(', ')}`);
  const { PORT: port, LOG_LEVEL } = readSettings(ProcessSettings, environment);
  const logger = createLogger(LOG_LEVEL);
  const shutdown = listenForShutdown(logger);
  const open = async (): Promise<OpenPort> => await serve({ port, hostname: '0.0.0.0' }, environment);
  const service = await atPort({ variable: 'PORT', port }, open);
  logger.info({ port: service.port }, `${name} listening`);
  await shutdown.requested(SERVICE_CLOSE_WITHIN_MS);
  await service.stop();
}

if (isMain(import.meta.url)) await runProcess(async () => await runDemoProcess(process.argv.slice(2), process.env));
