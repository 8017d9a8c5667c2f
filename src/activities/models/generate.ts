import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import type { JSONSchema7, LanguageModelV3CallOptions, LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import type { ModelCallRequest, ModelReply } from '../../graph/effect.ts';
import { isJsonObject, toJson } from '../../graph/json.ts';
import type { Json } from '../../graph/json.ts';
import { CallError } from '../call-error.ts';
import { fromNetwork, fromStatus, messageOf } from '../failures.ts';
import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretResolver, UsedSecrets } from '../secrets.ts';
import type { Generate, ModelSettings } from './model.ts';
import { providers } from './providers.ts';
import { toPrompt } from './to-prompt.ts';

interface ModelDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
}

/** A configured model behind its provider's adapter. */
export function createGenerate(settings: ModelSettings, { fetch, secrets }: ModelDeps): Generate {
  const guarded = toStandardFetch(fetch);
  return async (request, signal) => {
    const used = useSecrets(secrets);
    const apiKey = await resolveKey(settings, used);
    const model = providers[settings.provider]({
      model: settings.model,
      apiKey,
      baseUrl: settings.baseUrl,
      fetch: guarded,
    });
    try {
      return toReply(await model.doGenerate(toOptions(request, signal)));
    } catch (error) {
      throw redacted(toCallError(request.model, error), used);
    }
  };
}

async function resolveKey({ apiKey = '' }: ModelSettings, secrets: UsedSecrets): Promise<string> {
  try {
    return await secrets.resolve(apiKey);
  } catch (error) {
    throw new CallError('MODEL_FAILED', messageOf(error), { retryable: true, done: 'no', cause: error });
  }
}

function redacted(
  { code, message, retryable, done, retryAfterMs, reason }: CallError,
  secrets: UsedSecrets,
): CallError {
  return new CallError(code, secrets.redact(message), { retryable, done, retryAfterMs, reason });
}

function toOptions(request: ModelCallRequest, signal: AbortSignal): LanguageModelV3CallOptions {
  const { output, temperature, maxOutputTokens } = request;
  return {
    prompt: toPrompt(request),
    abortSignal: signal,
    ...(temperature !== null && { temperature }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(output !== null && { responseFormat: { type: 'json' as const, schema: toProviderSchema(output) } }),
  };
}

/** Providers take object schemas; a boolean schema allows anything, or nothing. */
function toProviderSchema(schema: NonNullable<ModelCallRequest['output']>): JSONSchema7 {
  return typeof schema === 'boolean' ? {} : { ...schema };
}

function toReply({ content, finishReason, usage }: LanguageModelV3GenerateResult): ModelReply {
  return {
    kind: 'model',
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    toolCalls: content.flatMap((part) =>
      part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, args: parseArguments(part.input) }] : [],
    ),
    finishReason: finishReason.unified === 'error' ? 'other' : finishReason.unified,
    usage: { inputTokens: usage.inputTokens.total ?? 0, outputTokens: usage.outputTokens.total ?? 0 },
  };
}

/** Arguments that are no JSON are kept as the text that they are: who checks them says what is wrong. */
function parseArguments(text: string): Json {
  try {
    return toJson(JSON.parse(text === '' ? '{}' : text));
  } catch {
    return text;
  }
}

function toCallError(model: string, thrown: unknown): CallError {
  const blocked = causesOf(thrown).find((cause) => cause instanceof CallError);
  if (blocked) return blocked;
  if (InvalidResponseDataError.isInstance(thrown))
    return new CallError('MODEL_FAILED', `${model} gave no usable answer: ${thrown.message}`, {
      retryable: false,
      done: 'perhaps',
    });
  if (!APICallError.isInstance(thrown) || thrown.statusCode === undefined || isBroken(thrown))
    return fromNetwork('MODEL_FAILED', thrown);
  return fromAnswer(model, thrown, thrown.statusCode);
}

/** The connection broke within an answer that was a success so far. */
function isBroken({ statusCode = 0, responseBody }: APICallError): boolean {
  return statusCode < 300 && responseBody === undefined;
}

function fromAnswer(
  model: string,
  { responseBody, responseHeaders, message: summary }: APICallError,
  status: number,
): CallError {
  const reason = reasonOf(responseBody);
  const message = `${model} answered ${status}: ${reason?.message ?? summary}`;
  if (reason && FOR_GOOD.has(reason.code)) {
    return new CallError('MODEL_FAILED', message, { retryable: false, done: 'no', reason: reason.code });
  }
  return fromStatus({
    code: 'MODEL_FAILED',
    callee: 'model',
    status,
    headers: new Headers(responseHeaders ?? {}),
    message,
  });
}

function causesOf(thrown: unknown): unknown[] {
  return thrown instanceof Error ? [thrown, ...causesOf(thrown.cause)] : [];
}

/** Reasons that no status tells: trying again is in vain. */
const FOR_GOOD: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'content_filter',
  'content_policy_violation',
  'context_length_exceeded',
]);

function reasonOf(body: string | undefined): { readonly code: string; readonly message: string } | null {
  const parsed = parseArguments(body ?? '');
  const error = isJsonObject(parsed) ? parsed['error'] : undefined;
  if (!isJsonObject(error)) return null;
  const { code, type, message } = error;
  return {
    code: typeof code === 'string' ? code : typeof type === 'string' ? type : '',
    message: typeof message === 'string' ? message : '',
  };
}

/** The adapters send texts only. */
function toStandardFetch(fetch: GuardedFetch): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', headers, body, signal } = init;
    return await fetch(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      signal: signal ?? null,
    });
  };
}
