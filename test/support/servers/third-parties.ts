import { Kysely, sql } from 'kysely';
import type { Dialect } from 'kysely';
import { createClient } from '../../../src/dev/demo/ticket.ts';
import type { Client } from '../../../src/dev/demo/ticket.ts';
import type { DemoServiceEnvironment } from '../../../src/dev/demo-services.ts';
import { startScriptedModel } from '../../../src/dev/scripted-model/server.ts';
import { startShop } from '../../../src/dev/shop/server.ts';
import { prepareTables } from '../../../src/dev/shop/tables.ts';
import type { ShopTables } from '../../../src/dev/shop/tables.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createPostgresDialect } from '../../../src/store/database/postgres-dialect.ts';
import { watchService } from '../doubles/watched-service.ts';
import type { WatchedService } from '../doubles/watched-service.ts';

/** The services that the demo calls, each behind an observable proxy. */
export interface ThirdParties {
  readonly model: WatchedService;
  readonly shop: WatchedService;
  /** A client of the shop that bypasses the proxy. */
  readonly accounts: Client;
  /** The variables with the addresses for the demo's configuration. */
  readonly environment: DemoServiceEnvironment;
  /** Removes all refunds. */
  resetShop(): Promise<void>;
}

const SHOP_KEY = 'key-of-the-shop';

/** @param shopDatabase the URL of an empty database */
export async function startThirdParties(shopDatabase: string, teardown: Teardown): Promise<ThirdParties> {
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
    environment: {
      HOLDFAST_MODEL_URL: `${model.url}/v1`,
      SHOP_URL: shop.url,
      SHOP_AUTHORIZATION: `Bearer ${SHOP_KEY}`,
    },
    async resetShop() {
      await sql`drop schema shop cascade`.execute(books);
      await prepareTables(books);
    },
  };
}
