import { createEmbedder } from '../activities/embeddings/create-embedder.ts';
import { createGuardedFetch } from '../activities/http/guarded-fetch.ts';
import { createEnvironmentSecrets } from '../activities/secrets.ts';
import { toMs } from '../graph/values/index.ts';
import { counters } from '../process/counters.ts';
import type { Config } from './load-config.ts';

/**
 * Makes the model by whose vectors memory is searched; `null`: none is configured.
 * @param environment has secrets, unless the configuration finds them
 */
export function openEmbedder(
  { memory: { embeddings }, http, secrets }: Pick<Config, 'memory' | 'http' | 'secrets'>,
  environment: Readonly<Record<string, string | undefined>>,
): ReturnType<typeof createEmbedder> | null {
  if (!embeddings) return null;
  const { timeout, price, ...settings } = embeddings;
  return createEmbedder(
    { ...settings, timeoutMs: toMs(timeout) },
    {
      fetch: createGuardedFetch(http.allow),
      secrets: secrets ?? createEnvironmentSecrets(environment),
      count(tokens) {
        counters.embeddedTokens.add(tokens);
        // USD per million tokens are millionths of a USD per token.
        if (price) counters.embeddingCost.add(tokens * price.input);
      },
    },
  );
}
