import { randomBytes } from 'node:crypto';
import type { Dialect } from 'kysely';
import { startScriptedModel } from './scripted-model/server.ts';
import { startShop } from './shop/server.ts';
import type { Teardown } from './teardown.ts';

/** Environment variables by which the configuration finds the demo's services. */
export interface DemoServiceEnvironment {
  readonly HOLDFAST_MODEL_URL: string;
  readonly SHOP_URL: string;
  /** The complete header, which is the secret of the shop's tools. */
  readonly SHOP_AUTHORIZATION: string;
}

/** Starts stand-ins for third parties: a model that needs no key, and a shop that refunds orders. */
export async function startDemoServices(dialect: Dialect, teardown: Teardown): Promise<DemoServiceEnvironment> {
  const apiKey = randomBytes(24).toString('base64url');
  const model = await startScriptedModel({ port: 0 });
  teardown.add(() => model.stop());
  const shop = await startShop({ dialect, port: 0, apiKey });
  teardown.add(() => shop.stop());
  return { HOLDFAST_MODEL_URL: model.url, SHOP_URL: shop.url, SHOP_AUTHORIZATION: `Bearer ${apiKey}` };
}
