import { defineConfig } from '../../src/index.ts';
import type { ConfigInput } from '../../src/index.ts';

/* The configuration of the example in the folder `EXAMPLE`, with a model at `MODEL_URL`. */

const { default: config }: { readonly default: ConfigInput } = await import(
  `../../examples/${process.env['EXAMPLE']}/holdfast.config.ts`
);
const baseUrl = process.env['MODEL_URL'] ?? '';
const { graphs: _, ...rest } = config;

export default defineConfig({
  ...rest,
  models: { default: { provider: 'openai-compatible', model: 'scripted', baseUrl } },
  http: { allow: [new URL(baseUrl).host] },
});
