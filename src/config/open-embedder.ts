import { embedderName } from '../activities/model-providers.ts';
import { createEnvironmentSecrets } from '../activities/secrets.ts';
import { toMs } from '../graph/values/index.ts';
import type { Embedder } from '../store/memory/embedder.ts';
import { measure } from '../telemetry/metrics/meter.ts';
import type { Config } from './load-config.ts';

/**
 * Creates the embedding model for searches in memory; `null` if none is configured.
 * @param environment the source of secrets, unless the configuration has its own
 */
export function openEmbedder(
  { memory: { embeddings }, http, secrets }: Pick<Config, 'memory' | 'http' | 'secrets'>,
  environment: Readonly<Record<string, string | undefined>>,
): Embedder | null {
  if (!embeddings) return null;
  const { timeout, price, ...settings } = embeddings;
  const open = async (): Promise<Embedder> => {
    const [{ createEmbedder }, { createGuardedFetch }] = await Promise.all([
      import('../activities/models/create-embedder.ts'),
      import('../network/guarded-request.ts'),
    ]);
    return createEmbedder(
      { ...settings, timeoutMs: toMs(timeout) },
      {
        fetch: createGuardedFetch(http.allow),
        secrets: secrets ?? createEnvironmentSecrets(environment),
        count(tokens) {
          measure('holdfast.embeddings.tokens', tokens, {});
          // USD per million tokens are millionths of a USD per token.
          if (price) measure('holdfast.embeddings.cost_usd', (tokens * price.input) / 1_000_000, {});
        },
      },
    );
  };
  // The adapters of providers are loaded when the first text arrives.
  let opened: Promise<Embedder> | undefined;
  return {
    name: embedderName(settings),
    minSimilarity: settings.minSimilarity,
    embed: async (texts) => await (await (opened ??= open())).embed(texts),
  };
}
