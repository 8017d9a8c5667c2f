import type { ModelReply } from '../../graph/run/index.ts';
import { ENDED_WITHOUT_REASON } from './wire/wire-format.ts';

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
export function endingOf(reason: string): AnswerEnding | undefined {
  const word = reason.toLowerCase();
  return ENDINGS.get(word) ?? (FAILURE.test(word) ? 'failed' : undefined);
}
