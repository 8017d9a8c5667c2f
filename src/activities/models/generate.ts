import { APICallError } from '@ai-sdk/provider';
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { toolCallsOf } from '../../graph/definition/index.ts';
import { describeModel } from '../../telemetry/traces/names.ts';
import type { GuardedFetch } from '../../network/guarded-request.ts';
import { PROVIDER_URLS } from '../model-providers.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretResolver } from '../secrets.ts';
import { loadFiles, withoutAnsweredFiles } from './load-files.ts';
import type { LoadedRequest } from './load-files.ts';
import type { Generate, ModelRequest, ModelSettings, GenerateContext } from './model.ts';
import { openProviderTransport, OtherFormError } from './open-transport.ts';
import type { AnswerForm, ProviderTransport } from './open-transport.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import { PROVIDER_ADAPTERS, WIRE_FORMATS } from './providers.ts';
import { toModelCallError } from './to-call-error.ts';
import { toCallOptions } from './to-call-options.ts';
import { toReplyOfAnswer } from './to-reply.ts';
import { mapToolNames } from './tool-names.ts';
import { toModelAnswer, readModelStream } from './read-stream.ts';
import type { CompleteAnswer } from './read-stream.ts';

interface GenerateDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
}

/** Creates a function that calls a configured model through its provider's adapter. */
export function createGenerate(settings: ModelSettings, { fetch, secrets }: GenerateDeps): Generate {
  const { provider, model, stream = false } = settings;
  const baseURL = settings.baseUrl ?? PROVIDER_URLS[provider] ?? '';
  const askAdapter = createAskAdapter(stream);
  return async (asked, { signal, emit, readFile, isLastAttempt = false }) => {
    describeModel({ provider, model, baseUrl: baseURL });
    const used = useSecrets(secrets, 'MODEL_FAILED');
    const apiKey = await used.resolve(settings.apiKey ?? '');
    const transport = openProviderTransport(fetch, WIRE_FORMATS[provider]);
    const toolNames = mapToolNames(toolNamesIn(asked));
    try {
      const files = await loadFiles(asked.messages, readFile, PROVIDER_TRAITS[provider].answeredFiles);
      const adapter = await PROVIDER_ADAPTERS[provider]({ model, apiKey, baseURL, fetch: transport.fetch });
      const ask = async (request: LoadedRequest): Promise<CompleteAnswer> => {
        const options = { ...toCallOptions(request, settings, toolNames), abortSignal: signal };
        return await askAdapter({ adapter, options, transport, emit });
      };
      const answer = await askWithFiles(ask, { ...asked, files }, isLastAttempt);
      return toReplyOfAnswer(answer, settings, toolNames);
    } catch (thrown) {
      const error = toModelCallError({ model: asked.model, thrown, status: transport.lastStatus() });
      throw error.withMessage(used.redactMessage(error.message));
    }
  };
}

/** Asks a model, and asks again without the files of tools where it may have refused them. */
async function askWithFiles(
  ask: (request: LoadedRequest) => Promise<CompleteAnswer>,
  request: LoadedRequest,
  isLastAttempt: boolean,
): Promise<CompleteAnswer> {
  try {
    return await ask(request);
  } catch (thrown) {
    const mayRefuse = mayRefuseFiles(request.model, thrown) || (isLastAttempt && namesFiles(thrown));
    const withoutFiles = mayRefuse ? withoutAnsweredFiles(request) : null;
    if (!withoutFiles) throw thrown;
    return await ask(withoutFiles);
  }
}

const FILE_REFUSALS: ReadonlySet<number> = new Set([400, 404, 413, 415, 422, 501]);

/**
 * True if a server may have refused the files of a request: models without vision, broken pictures and pictures of too
 * many pixels are refused in many words, so each refusal counts that is not known to have another reason.
 */
function mayRefuseFiles(model: string, thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.statusCode === undefined) return false;
  const { statusCode: status } = thrown;
  const { retryable, reason } = toModelCallError({ model, thrown, status });
  return FILE_REFUSALS.has(status) && !retryable && reason === null;
}

/**
 * True for a server's own error about pictures. Some servers answer it for a model without vision, and others for a
 * failure that passes, so it counts as a refusal only when no attempt is left.
 */
function namesFiles(thrown: unknown): boolean {
  return (
    APICallError.isInstance(thrown) &&
    thrown.statusCode === 500 &&
    /\bimage|multi-?modal/i.test(thrown.responseBody ?? '')
  );
}

function toolNamesIn({ tools, messages }: ModelRequest): string[] {
  return [...tools, ...messages.flatMap(toolCallsOf)].map(({ name }) => name);
}

/** One request to a provider's adapter. */
export interface AdapterRequest {
  readonly adapter: LanguageModelV3;
  readonly options: LanguageModelV3CallOptions;
  readonly transport: ProviderTransport;
  readonly emit: GenerateContext['emit'];
}

/**
 * Creates a function that calls the adapters of one model. It streams until the server refuses a stream or reports no
 * usage, then requests complete answers.
 * @param wantsStream false to request complete answers from the beginning
 */
function createAskAdapter(wantsStream: boolean): (question: AdapterRequest) => Promise<CompleteAnswer> {
  let asksForStreams = wantsStream;
  return async (question) => {
    try {
      const answer = await requestAnswer(asksForStreams ? 'stream' : 'whole', question);
      asksForStreams &&= reportsUsage(answer);
      return answer;
    } catch (error) {
      if (error instanceof OtherFormError) return await requestAnswer(error.form, question);
      if (!asksForStreams || !refusesStreams(error)) throw error;
      asksForStreams = false;
      return await requestAnswer('whole', question);
    }
  };
}

async function requestAnswer(
  form: AnswerForm,
  { adapter, options, transport, emit }: AdapterRequest,
): Promise<CompleteAnswer> {
  transport.expect(form);
  if (form === 'whole') return toModelAnswer(await adapter.doGenerate(options));
  const { stream } = await adapter.doStream({ ...options, includeRawChunks: true });
  return await readModelStream(stream, emit);
}

function reportsUsage({ usage: { inputTokens, outputTokens } }: CompleteAnswer): boolean {
  return inputTokens.total !== undefined || outputTokens.total !== undefined;
}

const REFUSED_REQUEST_STATUSES: ReadonlySet<number | undefined> = new Set([400, 422, 501]);

/** Servers that do not support streams, or the usage at their end, name the rejected field. */
function refusesStreams(error: unknown): boolean {
  return (
    APICallError.isInstance(error) &&
    REFUSED_REQUEST_STATUSES.has(error.statusCode) &&
    /\bstream/i.test(error.responseBody ?? '')
  );
}
