import { CallError } from '../calls/call-error.ts';
import type { ProviderName } from '../model-providers.ts';
import type { ModelSettings } from './model.ts';
import { toProviderParts } from './provider-parts.ts';
import { PROVIDER_TRAITS } from './provider-traits.ts';
import type { CompleteAnswer } from './read-stream.ts';
import type { ToolNames } from './tool-names.ts';
import { ENDED_WITHOUT_REASON } from './wire/wire-format.ts';
import type { ModelReply } from '../../graph/run/index.ts';
import { parseOutsideJson } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';

type FinishReason = ModelReply['finishReason'];

/** Converts an answer to the engine's format. @throws CallError if the model failed to write one */
export function toReplyOfAnswer(answer: CompleteAnswer, settings: ModelSettings, toolNames: ToolNames): ModelReply {
  const { content, finishReason, refusal } = answer;
  const providerParts = toProviderParts(settings, content);
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const reply: ModelReply = {
    kind: 'model',
    text: text === '' ? refusal : text,
    toolCalls: content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true
        ? [{ id: part.toolCallId, name: toolNames.fromProvider(part.toolName), args: parseToolArguments(part.input) }]
        : [],
    ),
    finishReason: toFinishReason(answer, settings.provider),
    usage: toReplyUsage(answer),
    ...(providerParts && { providerParts }),
  };
  return requireContent(reply, finishReason.raw);
}

function toReplyUsage({ usage: { inputTokens, outputTokens } }: CompleteAnswer): ModelReply['usage'] {
  return { inputTokens: countableTokens(inputTokens.total), outputTokens: countableTokens(outputTokens.total) };
}

/** Arguments that are not JSON stay a text; the check of the arguments reports them. */
function parseToolArguments(text: string): Json {
  try {
    return parseOutsideJson(text === '' ? '{}' : text, () => true);
  } catch {
    return text;
  }
}

/**
 * Maps the end of an answer. An answer with tool calls ends with `tool-calls`, whatever its server calls that, unless
 * it is incomplete.
 * @throws CallError for an answer that its server failed to complete, whatever has come of it
 */
function toFinishReason(answer: CompleteAnswer, provider: ProviderName): FinishReason {
  const { finishReason, refusal, content } = answer;
  const { unified, raw } = finishReason;
  const ending = (raw === undefined ? undefined : endingOfReason(raw)) ?? unified;
  if (ending === 'error' || ending === 'failed') throw brokenAnswerError(raw ?? unified, toReplyUsage(answer));
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  if (hasCalls && (ending === 'stop' || ending === 'other')) return 'tool-calls';
  const { refusalIsFiltered } = PROVIDER_TRAITS[provider];
  const hasRefused = refusal !== '' || (refusalIsFiltered && unified === 'content-filter' && raw === undefined);
  return hasRefused && ending !== 'tool-calls' ? 'refusal' : ending;
}

/** No model reads or writes more in one call; sums of such numbers are exact. */
export const MOST_TOKENS = 1_000_000_000;

/**
 * Converts a provider's token count to one that a budget can count: a negative count would refund tokens of others.
 * @returns a whole number, 0 if the provider states none
 */
function countableTokens(stated: number | undefined): number {
  if (stated === undefined || Number.isNaN(stated)) return 0;
  return Math.ceil(Math.min(Math.max(stated, 0), MOST_TOKENS));
}

/**
 * A model may end without text after the results of its tools. A filtered or refused reply fails its turn elsewhere.
 */
const MAY_BE_EMPTY: ReadonlySet<ModelReply['finishReason']> = new Set(['stop', 'content-filter', 'refusal']);

/**
 * Refuses a reply that ended without text or calls: the run can't continue with it.
 * @param ended the provider's own finish reason
 * @throws CallError with the usage of the reply
 */
export function requireContent(reply: ModelReply, ended: string = reply.finishReason): ModelReply {
  const { text, toolCalls, finishReason, usage } = reply;
  if (MAY_BE_EMPTY.has(finishReason) || toolCalls.length > 0 || text.trim() !== '') return reply;
  if (finishReason !== 'length') throw brokenAnswerError(ended, usage);
  const message =
    'The reply used up its tokens before it said anything; raise maxOutputTokens, or context.maxTokens for a summary';
  throw new CallError('MODEL_FAILED', message, { retryable: false, done: 'perhaps', reason: 'truncated', usage });
}

/** The error of an answer that the model or its provider failed to complete; a retry may succeed. */
function brokenAnswerError(ended: string, usage: ModelReply['usage']): CallError {
  const message = `The model's answer ended with ${ended}`;
  return new CallError('MODEL_FAILED', message, { retryable: true, done: 'perhaps', usage });
}

/** How an answer ended: with a finish reason of the engine, or because its server failed. */
export type AnswerEnding = ModelReply['finishReason'] | 'failed';

/** Finish reasons of providers that the adapters do not map, in lower case. */
const ENDINGS: ReadonlyMap<string, AnswerEnding> = new Map<string, AnswerEnding>([
  [ENDED_WITHOUT_REASON, 'other'],
  ['completed', 'stop'],
  ['end_turn', 'stop'],
  ['stop', 'stop'],
  ['stop_sequence', 'stop'],
  ['length', 'length'],
  ['max_length', 'length'],
  ['max_new_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['model_length', 'length'],
  ['tool_call', 'tool-calls'],
  ['tool_calls', 'tool-calls'],
  ['tool_use', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['blocklist', 'content-filter'],
  ['content_filter', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['guardrail_intervened', 'content-filter'],
  ['image_prohibited_content', 'content-filter'],
  ['image_recitation', 'content-filter'],
  ['image_safety', 'content-filter'],
  ['language', 'content-filter'],
  ['prohibited_content', 'content-filter'],
  ['recitation', 'content-filter'],
  ['safety', 'content-filter'],
  ['sensitive', 'content-filter'],
  ['spii', 'content-filter'],
  ['refusal', 'refusal'],
]);

/** Words of servers that failed, or were stopped, in the middle of an answer. */
const FAILURE =
  /error|abort|cancel|fail|time.?out|timed.?out|interrupt|overload|unavailable|malformed|preempt|insufficient_system/;

/**
 * Maps a provider's own finish reason.
 * @returns `undefined` for a reason that is not known; the answer's content decides about it
 */
function endingOfReason(reason: string): AnswerEnding | undefined {
  const word = reason.toLowerCase();
  return ENDINGS.get(word) ?? (FAILURE.test(word) ? 'failed' : undefined);
}
