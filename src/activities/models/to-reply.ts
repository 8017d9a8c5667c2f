import type { LanguageModelV3FinishReason } from '@ai-sdk/provider';
import type { ModelReply } from '../../graph/run/index.ts';
import { own, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';
import type { Answer } from './answer.ts';
import type { ModelSettings } from './model.ts';
import { toProviderParts } from './provider-parts.ts';
import type { ToolNames } from './tool-names.ts';

type FinishReason = ModelReply['finishReason'];

/** An answer in the engine's own form. @throws CallError where the model failed to write one */
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
    usage: { inputTokens: usage.inputTokens.total ?? 0, outputTokens: usage.outputTokens.total ?? 0 },
    ...(providerParts && { providerParts }),
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

/** Reasons that an adapter has no word for, as the provider calls them. */
const BY_RAW_REASON: Readonly<Record<ModelSettings['provider'], Readonly<Record<string, FinishReason>>>> = {
  openai: {},
  'openai-compatible': {},
  anthropic: { refusal: 'refusal' },
  google: {
    IMAGE_PROHIBITED_CONTENT: 'content-filter',
    IMAGE_RECITATION: 'content-filter',
    LANGUAGE: 'content-filter',
  },
};

function toFinishReason({ finishReason, refusal }: Answer, provider: ModelSettings['provider']): FinishReason {
  const { unified, raw } = finishReason;
  if (unified === 'error') throw unreadableCall(finishReason);
  const known = raw === undefined ? undefined : own(BY_RAW_REASON[provider], raw);
  if (known) return known;
  // OpenAI's own adapter calls a refusal a filter, but the provider gives no reason then.
  const hasRefused = refusal !== '' || (provider === 'openai' && unified === 'content-filter' && raw === undefined);
  return hasRefused && unified !== 'tool-calls' ? 'refusal' : unified;
}

/** The model began a tool call that the provider could not read. It may do better next time. */
function unreadableCall({ raw = 'error' }: LanguageModelV3FinishReason): CallError {
  return new CallError('MODEL_FAILED', `The model's answer ended with ${raw}`, { retryable: true, done: 'perhaps' });
}
