import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { toolCallsOf } from '../../graph/definition/index.ts';
import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { PROVIDER_URLS } from '../model-providers.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretResolver } from '../secrets.ts';
import { toAnswer } from './answer.ts';
import type { Answer } from './answer.ts';
import type { Generate, ModelRequest, ModelSettings } from './model.ts';
import { openTransport } from './open-transport.ts';
import { providers } from './providers.ts';
import { readStream } from './read-stream.ts';
import { toCallError } from './to-call-error.ts';
import { toCallOptions } from './to-call-options.ts';
import { toReply } from './to-reply.ts';
import { mapToolNames } from './tool-names.ts';

interface GenerateDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
}

/** Creates a function that asks a configured model through its provider's adapter. */
export function createGenerate(settings: ModelSettings, { fetch, secrets }: GenerateDeps): Generate {
  const { provider, model, stream = false } = settings;
  const baseURL = settings.baseUrl ?? PROVIDER_URLS[provider] ?? '';
  return async (request, { signal }) => {
    const used = useSecrets(secrets, 'MODEL_FAILED');
    const apiKey = await used.resolve(settings.apiKey ?? '');
    const transport = openTransport(fetch);
    const toolNames = mapToolNames(namesIn(request));
    try {
      const adapter = providers[provider]({ model, apiKey, baseURL, fetch: transport.fetch });
      const options = { ...toCallOptions(request, settings, toolNames), abortSignal: signal };
      const answer = stream ? await streamed(adapter, options) : toAnswer(await adapter.doGenerate(options));
      return toReply(answer, settings, toolNames);
    } catch (thrown) {
      const error = toCallError({ model: request.model, thrown, status: transport.lastStatus() });
      throw error.withMessage(used.redactMessage(error.message));
    }
  };
}

async function streamed(adapter: LanguageModelV3, options: LanguageModelV3CallOptions): Promise<Answer> {
  const { stream } = await adapter.doStream({ ...options, includeRawChunks: true });
  return await readStream(stream);
}

function namesIn({ tools, messages }: ModelRequest): string[] {
  return [...tools, ...messages.flatMap(toolCallsOf)].map(({ name }) => name);
}
