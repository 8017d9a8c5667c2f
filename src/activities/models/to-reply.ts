import type { LanguageModelV3FinishReason } from '@ai-sdk/provider';
import type { ModelReply } from '../../graph/run/index.ts';
import { own, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import type { Answer } from './answer.ts';
import { countableTokens } from './countable-tokens.ts';
import type { ProviderName } from '../model-providers.ts';
import type { ModelSettings } from './model.ts';
import { toProviderParts } from './provider-parts.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import type { ToolNames } from './tool-names.ts';

type FinishReason = ModelReply['finishReason'];

/** Converts an answer to the engine's format. @throws CallError if the model failed to write one */
export function toReply(answer: Answer, settings: ModelSettings, toolNames: ToolNames): ModelReply {
  const { content, usage, refusal } = answer;
  const providerParts = toProviderParts(settings, content);
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return {
    kind: 'model',
    text: text === '' ? refusal : text,
    toolCalls: content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true
        ? [{ id: part.toolCallId, name: toolNames.fromProvider(part.toolName), args: parseArguments(part.input) }]
        : [],
    ),
    finishReason: toFinishReason(answer, settings.provider),
    usage: {
      inputTokens: countableTokens(usage.inputTokens.total),
      outputTokens: countableTokens(usage.outputTokens.total),
    },
    ...(providerParts && { providerParts }),
  };
}

/** Arguments that are not JSON stay a text; the check of the arguments reports them. */
function parseArguments(text: string): Json {
  try {
    return toJson(JSON.parse(text === '' ? '{}' : text));
  } catch {
    return text;
  }
}

function toFinishReason({ finishReason, refusal }: Answer, provider: ProviderName): FinishReason {
  const { unified, raw } = finishReason;
  const { finishReasons, refusalIsFiltered } = PROVIDER_TRAITS[provider];
  if (unified === 'error') throw unreadableCall(finishReason);
  const known = raw === undefined ? undefined : own(finishReasons, raw);
  if (known) return known;
  const hasRefused = refusal !== '' || (refusalIsFiltered && unified === 'content-filter' && raw === undefined);
  return hasRefused && unified !== 'tool-calls' ? 'refusal' : unified;
}

/** The provider could not parse a tool call of the model; a retry may succeed. */
function unreadableCall({ raw = 'error' }: LanguageModelV3FinishReason): CallError {
  return new CallError('MODEL_FAILED', `The model's answer ended with ${raw}`, { retryable: true, done: 'perhaps' });
}
