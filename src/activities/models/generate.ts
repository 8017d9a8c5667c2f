import { toolCallsOf } from '../../graph/definition/index.ts';
import { describeModel } from '../../telemetry/traces/describe-model.ts';
import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { PROVIDER_URLS } from '../model-providers.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretResolver } from '../secrets.ts';
import { createAskAdapter } from './ask-adapter.ts';
import { loadFiles } from './load-files.ts';
import type { Generate, ModelRequest, ModelSettings } from './model.ts';
import { openTransport } from './open-transport.ts';
import { providers } from './providers.ts';
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
  const askAdapter = createAskAdapter(stream);
  return async (asked, { signal, emit, readFile }) => {
    describeModel({ provider, model, baseUrl: baseURL });
    const used = useSecrets(secrets, 'MODEL_FAILED');
    const apiKey = await used.resolve(settings.apiKey ?? '');
    const transport = openTransport(fetch);
    const toolNames = mapToolNames(namesIn(asked));
    try {
      const request = { ...asked, files: await loadFiles(asked.messages, readFile) };
      const adapter = providers[provider]({ model, apiKey, baseURL, fetch: transport.fetch });
      const options = { ...toCallOptions(request, settings, toolNames), abortSignal: signal };
      const answer = await askAdapter({ adapter, options, transport, emit });
      return toReply(answer, settings, toolNames);
    } catch (thrown) {
      const error = toCallError({ model: asked.model, thrown, status: transport.lastStatus() });
      throw error.withMessage(used.redactMessage(error.message));
    }
  };
}

function namesIn({ tools, messages }: ModelRequest): string[] {
  return [...tools, ...messages.flatMap(toolCallsOf)].map(({ name }) => name);
}
