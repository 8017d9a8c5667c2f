import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, sql } from 'kysely';
import type { Dialect } from 'kysely';
import { listen } from '../../src/api/listen.ts';
import { createClient } from '../../src/dev/demo/client.ts';
import type { Client } from '../../src/dev/demo/client.ts';
import { openIssuer, signTokens } from '../../src/dev/issuer.ts';
import type { Tokens } from '../../src/dev/issuer.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { startScriptedModel } from '../../src/dev/scripted-model/server.ts';
import { startShop } from '../../src/dev/shop/server.ts';
import { prepareTables } from '../../src/dev/shop/tables.ts';
import type { ShopTables } from '../../src/dev/shop/tables.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import type { Teardown } from '../../src/dev/teardown.ts';
import { createPostgresDialect } from '../../src/store/postgres-dialect.ts';
import { provideTemporal } from '../../src/dev/temporal-executable.ts';
import { startTemporalServer } from '../../src/dev/temporal-server.ts';
import type { TemporalServer, TemporalServerOptions } from '../../src/dev/temporal-server.ts';
import { startNode } from './child-node.ts';
import { startPostgres } from './postgres-server.ts';
import { watchService } from './watched-service.ts';
import type { WatchedService } from './watched-service.ts';

/** Something that can be killed as by a power cut, and started again where it was. */
export interface Victim {
  kill(): Promise<void>;
  start(): Promise<void>;
}

export type VictimName = 'worker' | 'api' | 'temporal';

/** Holdfast as it is deployed: API, worker, Temporal and PostgreSQL as processes of their own; third parties that can be watched. */
export interface Cluster {
  readonly victims: Readonly<Record<VictimName, Victim>>;
  readonly model: WatchedService;
  readonly shop: WatchedService;
  /** Speaks to the shop itself, past the door. */
  readonly accounts: Client;
  as(caller: keyof Tokens): Client;
  /** Takes all refunds back. */
  resetShop(): Promise<void>;
  stop(): Promise<void>;
}

/** Below the ports that clients connect from: one that is tried in vain for long enough may otherwise be connected to by itself. */
const FIRST_PORT = 17_233;
const SHOP_KEY = 'key-of-the-shop';

export async function startCluster(): Promise<Cluster> {
  const teardown = openTeardown();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const temporal = await startKillableTemporal(folder, teardown);
  const thirdParties = await startThirdParties(await postgres.createDatabase('shop'), teardown);
  const issuer = await openIssuer(join(folder, 'issuer.json'), {});
  const keys = await listen({ fetch: () => Response.json(issuer.auth.keys) }, { port: 0 });
  teardown.add(() => keys.stop());
  const port = await choosePort('the API', undefined, FIRST_PORT + 1_000);
  const environment = {
    ...process.env,
    HOLDFAST_CONFIG: fileURLToPath(new URL('cluster.config.ts', import.meta.url)),
    HOLDFAST_CURSOR_SECRET: 'a secret of this test and of no other',
    HOLDFAST_MODEL_URL: `${thirdParties.model.url}/v1`,
    SHOP_URL: thirdParties.shop.url,
    SHOP_AUTHORIZATION: `Bearer ${SHOP_KEY}`,
    DATABASE_URL: await postgres.createDatabase('holdfast'),
    TEMPORAL_ADDRESS: temporal.address,
    AUTH_ISSUER: issuer.auth.issuer,
    AUTH_AUDIENCE: issuer.auth.audience,
    AUTH_JWKS_URL: keys.url,
    LOG_LEVEL: 'fatal',
    PORT: String(port),
  };
  const worker = startProcess('src/worker.ts', environment, teardown);
  const api = startProcess('src/api/server.ts', environment, teardown);
  const tokens = await signTokens(issuer);
  return {
    ...thirdParties,
    victims: { worker, api, temporal },
    as: (caller) => createClient(`http://127.0.0.1:${port}`, tokens[caller]),
    stop: () => teardown.run(),
  };
}

function startProcess(script: string, environment: NodeJS.ProcessEnv, teardown: Teardown): Victim {
  const child = startNode(script, environment);
  teardown.add(() => child.kill());
  return { kill: () => child.kill(), start: async () => child.start() };
}

async function startKillableTemporal(
  folder: string,
  teardown: Teardown,
): Promise<Victim & { readonly address: string }> {
  const options: TemporalServerOptions = {
    executable: await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`)),
    port: await choosePort('Temporal', undefined, FIRST_PORT),
    uiPort: await choosePort('the Temporal Web UI', undefined, FIRST_PORT + 500),
    databaseFile: join(folder, 'temporal.db'),
  };
  let server: TemporalServer = await startTemporalServer(options);
  teardown.add(() => server.stop());
  return {
    address: server.address,
    kill: () => server.kill(),
    async start() {
      server = await startTemporalServer(options);
    },
  };
}

async function startThirdParties(
  shopDatabase: string,
  teardown: Teardown,
): Promise<Pick<Cluster, 'model' | 'shop' | 'accounts' | 'resetShop'>> {
  const dialect = (): Dialect => createPostgresDialect(shopDatabase, 5);
  const realModel = await startScriptedModel({ port: 0 });
  teardown.add(() => realModel.stop());
  const model = await watchService(realModel.url);
  teardown.add(() => model.stop());
  const realShop = await startShop({ dialect: dialect(), port: 0, apiKey: SHOP_KEY });
  teardown.add(() => realShop.stop());
  const shop = await watchService(realShop.url);
  teardown.add(() => shop.stop());
  const books = new Kysely<ShopTables>({ dialect: dialect() });
  teardown.add(() => books.destroy());
  return {
    model,
    shop,
    accounts: createClient(realShop.url, SHOP_KEY),
    async resetShop() {
      await sql`drop schema shop cascade`.execute(books);
      await prepareTables(books);
    },
  };
}
