import { Kysely, sql } from 'kysely';
import type { Dialect } from 'kysely';
import { createClient } from '../../../src/dev/demo/client.ts';
import type { Client } from '../../../src/dev/demo/client.ts';
import type { Tokens } from '../../../src/dev/issuer.ts';
import { startScriptedModel } from '../../../src/dev/scripted-model/server.ts';
import { startShop } from '../../../src/dev/shop/server.ts';
import { prepareTables } from '../../../src/dev/shop/tables.ts';
import type { ShopTables } from '../../../src/dev/shop/tables.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { watchService } from '../doubles/watched-service.ts';
import type { WatchedService } from '../doubles/watched-service.ts';
import { startPostgres } from './postgres-server.ts';
import { startProcesses } from './processes.ts';
import type { Victim } from './victim.ts';

export type VictimName = 'worker' | 'api' | 'temporal';

/** Holdfast as it is deployed, with the demo's configuration; third parties that can be watched. */
export interface Cluster {
  readonly temporalAddress: string;
  readonly victims: Readonly<Record<VictimName, Pick<Victim, 'kill' | 'start'>>>;
  readonly model: WatchedService;
  readonly shop: WatchedService;
  /** Speaks to the shop itself, past the door. */
  readonly accounts: Client;
  as(caller: keyof Tokens): Client;
  /** Takes all refunds back. */
  resetShop(): Promise<void>;
  stop(): Promise<void>;
}

const SHOP_KEY = 'key-of-the-shop';

/** What a cluster serves; the demo, unless it is told otherwise. */
export interface ClusterOptions {
  readonly config?: URL;
  readonly environment?: NodeJS.ProcessEnv;
}

export async function startCluster({
  config = new URL('./cluster.config.ts', import.meta.url),
  environment = {},
}: ClusterOptions = {}): Promise<Cluster> {
  const teardown = openTeardown();
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const thirdParties = await startThirdParties(await postgres.createDatabase('shop'), teardown);
  const {
    workers: [worker],
    apis: [api],
    baseUrls: [baseUrl],
    temporal,
    tokens,
  } = await startProcesses(
    {
      databaseUrl: await postgres.createDatabase('holdfast'),
      config,
      environment: {
        ...environment,
        HOLDFAST_MODEL_URL: `${thirdParties.model.url}/v1`,
        SHOP_URL: thirdParties.shop.url,
        SHOP_AUTHORIZATION: `Bearer ${SHOP_KEY}`,
      },
    },
    teardown,
  );
  if (!worker || !api || baseUrl === undefined) throw new TypeError('A cluster has a worker and an API');
  return {
    ...thirdParties,
    temporalAddress: temporal.address,
    victims: { worker, api, temporal },
    as: (caller) => createClient(baseUrl, tokens[caller]),
    stop: () => teardown.run(),
  };
}

async function startThirdParties(
  shopDatabase: string,
  teardown: Teardown,
): Promise<Pick<Cluster, 'model' | 'shop' | 'accounts' | 'resetShop'>> {
  const dialect = (): Dialect => createPostgresDialect(shopDatabase, { maxConnections: 5 });
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
