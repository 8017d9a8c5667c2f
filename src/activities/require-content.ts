import type { ModelReply } from '../graph/run/index.ts';
import { CallError } from './calls/call-error.ts';

/** A model may leave it at the results of its tools. What was filtered or refused fails its turn. */
const MAY_BE_EMPTY: ReadonlySet<ModelReply['finishReason']> = new Set(['stop', 'content-filter', 'refusal']);

/**
 * Refuses a reply that ended before the model said or called anything: it is no answer to go on with.
 * @param ended the provider's own word for the end
 * @throws CallError with the usage of the reply
 */
export function requireContent(reply: ModelReply, ended: string = reply.finishReason): ModelReply {
  const { text, toolCalls, finishReason, usage } = reply;
  if (MAY_BE_EMPTY.has(finishReason) || toolCalls.length > 0 || text.trim() !== '') return reply;
  if (finishReason !== 'length') throw brokenAnswer(ended, usage);
  const message =
    'The reply used up its tokens before it said anything; raise maxOutputTokens, or context.maxTokens for a summary';
  throw new CallError('MODEL_FAILED', message, { retryable: false, done: 'perhaps', reason: 'truncated', usage });
}

/** The error of an answer that the model, or its provider, has failed to write; a retry may succeed. */
export function brokenAnswer(ended: string, usage: ModelReply['usage']): CallError {
  const message = `The model's answer ended with ${ended}`;
  return new CallError('MODEL_FAILED', message, { retryable: true, done: 'perhaps', usage });
}
