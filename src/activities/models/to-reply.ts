import type { ModelReply } from '../../graph/run/index.ts';
import { own, toJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { brokenAnswer, requireContent } from '../require-content.ts';
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
  const { content, finishReason, refusal } = answer;
  const providerParts = toProviderParts(settings, content);
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const reply: ModelReply = {
    kind: 'model',
    text: text === '' ? refusal : text,
    toolCalls: content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true
        ? [{ id: part.toolCallId, name: toolNames.fromProvider(part.toolName), args: parseArguments(part.input) }]
        : [],
    ),
    finishReason: toFinishReason(answer, settings.provider),
    usage: toUsage(answer),
    ...(providerParts && { providerParts }),
  };
  return requireContent(reply, finishReason.raw);
}

function toUsage({ usage: { inputTokens, outputTokens } }: Answer): ModelReply['usage'] {
  return { inputTokens: countableTokens(inputTokens.total), outputTokens: countableTokens(outputTokens.total) };
}

/** Arguments that are not JSON stay a text; the check of the arguments reports them. */
function parseArguments(text: string): Json {
  try {
    return toJson(JSON.parse(text === '' ? '{}' : text));
  } catch {
    return text;
  }
}

/** @throws CallError for an answer with a tool call that the provider could not read */
function toFinishReason(answer: Answer, provider: ProviderName): FinishReason {
  const { finishReason, refusal } = answer;
  const { unified, raw } = finishReason;
  const { finishReasons, refusalIsFiltered } = PROVIDER_TRAITS[provider];
  if (unified === 'error') throw brokenAnswer(raw ?? unified, toUsage(answer));
  const known = raw === undefined ? undefined : own(finishReasons, raw);
  if (known) return known;
  const hasRefused = refusal !== '' || (refusalIsFiltered && unified === 'content-filter' && raw === undefined);
  return hasRefused && unified !== 'tool-calls' ? 'refusal' : unified;
}
